package old

import (
	"errors"
	"path/filepath"
	"strings"
)

// ReadGODTTables reads the published tables of the thesis on Gaussian-mixture trees from the files table*.csv of a
// folder. They are called by their numbers, such as "3.2" and "A.18":
//
//	3.1, 3.8    features, training and testing rows, and classes of the sets
//	3.2, 3.3    accuracy and training time of GODT, SVM, LDA, CART, QDA, OC1
//	3.9, 3.10   mean absolute error and training time of GODT, CART, SVM
//	4.1, 4.2    accuracy and training time of GORF, RF, GODT, CART, SVM
//	4.5, 4.6    mean absolute error and training time of the same
//	5.1, 5.2    accuracy and training time of GQDT, GODT, CART
//	5.3, 5.4    accuracy and training time of GQRF, GORF, RF
//	A.1 to A.3  covariance and start of GODT; A.8, A.9 start of GORF; A.13, A.14 both of GQDT
//	A.4         mean squared error of GODT, CART, SVM
//	A.5 to A.7  precision, recall and F1, means over classes; A.10 to A.12 of GQRF, GQDT, GORF, RF
//	A.17        depth of GODT and CART
//	A.18 to A.20  accuracy of GORF and RF by number of trees on Madelon, Usps and Satimages
//	3.6, 4.3, A.15  Wilcoxon's p of a method against GODT, GORF, and GQDT or GQRF; 3.7, 4.4, A.16  ranks and means
//
// A table has its numbers by data set (in tables A.18 to A.20 by number of trees, in those of tests by method) and
// column. Sets are called as in [GODTSets] and [GODTValueSets], methods without the letter for classification or
// regression. A number that the thesis lacks is NaN. Accuracy, precision, recall and F1 are in percent, times in
// seconds. Tables on the covariance ("full", "diagonal") and on the start ("initialised", "random") have columns "sd"
// for standard deviations, as printed: but for Abalone's, those of table A.14 are so small that they may be shares of
// 1.
func ReadGODTTables(folder string) (map[string]map[string]map[string]float64, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "table*.csv"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, errors.New(folder + ": no files table*.csv")
	}
	tables := map[string]map[string]map[string]float64{}
	for _, path := range paths {
		number := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "table"), ".csv")
		if tables[strings.ReplaceAll(number, "_", ".")], err = ReadTable(path); err != nil {
			return nil, err
		}
	}
	return tables, nil
}
