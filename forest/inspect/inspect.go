// Package inspect analyses trained forests of any method: which training rows the
// regions depend on ([Sensitivity]), which of them are near a row ([Nearest]), unlike others ([Outliers]) or
// typical ([Prototypes]), whether new rows are unlike them ([Drift]), which features the predictions depend on
// ([PermutationImportance]), how many numbers the model stores ([ModelSize]), how
// different the trees are ([TreeDiversity]), and how good they are and how alike their mistakes
// ([StrengthCorrelation]).
package inspect
