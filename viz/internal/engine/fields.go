package engine

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// set sets a field of a struct, such as "Trees", "MaxDepth" of an embedded struct, or
// "Memory.Alpha" of a field that is a struct. A bool is 0 or 1. It returns an error if
// there is no such field, if it isn't a number or a bool, and if the value doesn't fit.
func set(target reflect.Value, path string, value float64) error {
	field := target
	for name := range strings.SplitSeq(path, ".") {
		if field.Kind() == reflect.Struct {
			field = field.FieldByName(name)
		} else {
			field = reflect.Value{} // has no fields
		}
		if !field.CanSet() {
			return fmt.Errorf("%s has no field %s", target.Type(), path)
		}
	}
	whole := value == math.Trunc(value) && math.Abs(value) < 1<<53
	switch {
	case field.CanFloat() && !math.IsNaN(value) && !math.IsInf(value, 0):
		field.SetFloat(value)
	case field.CanInt() && whole && !field.OverflowInt(int64(value)):
		field.SetInt(int64(value))
	case field.CanUint() && whole && value >= 0 && !field.OverflowUint(uint64(value)):
		field.SetUint(uint64(value))
	case field.Kind() == reflect.Bool && (value == 0 || value == 1):
		field.SetBool(value == 1)
	default:
		return fmt.Errorf("%s.%s can't be %v", target.Type(), path, value)
	}
	return nil
}

// source writes a struct as Go source. Fields that are zero are left out.
func source(v reflect.Value) string {
	t := v.Type()
	var fields []string
	for i := range t.NumField() {
		if f := v.Field(i); t.Field(i).IsExported() && !f.IsZero() {
			fields = append(fields, t.Field(i).Name+": "+literal(f))
		}
	}
	return t.String() + "{" + strings.Join(fields, ", ") + "}"
}

func literal(v reflect.Value) string {
	name := v.Type().String()
	pkg, _, _ := strings.Cut(name, ".")
	switch {
	case v.Kind() == reflect.Struct:
		return source(v)
	case v.CanUint() && int(v.Uint()) < len(menu.Constants[name]):
		return pkg + "." + menu.Constants[name][v.Uint()]
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	default:
		return fmt.Sprint(v.Interface())
	}
}
