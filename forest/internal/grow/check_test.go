package grow

import (
	"math"
	"strings"
	"testing"
)

func TestCheckRows(t *testing.T) {
	if err := CheckRows(1 << 30); err != nil {
		t.Error(err)
	}
	if err := CheckRows(1<<30 + 1); err == nil || !strings.Contains(err.Error(), "1073741825 rows") {
		t.Errorf("error %v; want one with the number of rows", err)
	}
}

func TestCheckCoefficients(t *testing.T) {
	if err := checkCoefficients(math.MaxInt32); err != nil {
		t.Error(err)
	}
	if err := checkCoefficients(math.MaxInt32 + 1); err == nil || !strings.Contains(err.Error(), "2147483648 coefficients") {
		t.Errorf("error %v", err)
	}
}
