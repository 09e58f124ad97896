package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of elements, kinds of attributes and fields are those of onnx.proto3, of ONNX 1.17.

// An element is the type of a tensor's elements.
type element int

const (
	float32s element = 1
	int64s   element = 7
	texts    element = 8
	float64s element = 11
)

// A message is the encoding of a message of protocol buffers.
type message []byte

func (m message) number(field protowire.Number, v int) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

func (m message) text(field protowire.Number, s string) message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
}

func (m message) bytes(field protowire.Number, b []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), b)
}

// packed appends a list of integers.
func (m message) packed(field protowire.Number, list []int) message {
	var b []byte
	for _, v := range list {
		b = protowire.AppendVarint(b, uint64(v))
	}
	return m.bytes(field, b)
}

// A tensor is a TensorProto: a row-major array.
type tensor message

// tensorOf returns a tensor of float32, float64 or int.
func tensorOf[T float32 | float64 | int](shape []int, cells ...T) tensor {
	var raw []byte
	var kind element
	for _, cell := range cells {
		switch v := any(cell).(type) {
		case float32:
			kind, raw = float32s, binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		case float64:
			kind, raw = float64s, binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		case int:
			kind, raw = int64s, binary.LittleEndian.AppendUint64(raw, uint64(v))
		}
	}
	return tensor(message{}.packed(1, shape).number(2, int(kind)).bytes(9, raw))
}

// attribute returns an AttributeProto.
func attribute(name string, value any) message {
	m := message{}.text(1, name)
	switch v := value.(type) {
	case int:
		return m.number(3, v).number(20, 2)
	case element:
		return m.number(3, int(v)).number(20, 2)
	case float32:
		m = protowire.AppendFixed32(protowire.AppendTag(m, 2, protowire.Fixed32Type), math.Float32bits(v))
		return m.number(20, 1)
	case string:
		return m.text(4, v).number(20, 3)
	case tensor:
		return m.bytes(5, v).number(20, 4)
	case []float32:
		var b []byte
		for _, x := range v {
			b = protowire.AppendFixed32(b, math.Float32bits(x))
		}
		return m.bytes(7, b).number(20, 6)
	case []int:
		return m.packed(8, v).number(20, 7)
	case []string:
		for _, s := range v {
			m = m.text(9, s)
		}
		return m.number(20, 8)
	}
	panic(fmt.Sprintf("onnx: an attribute of type %T", value))
}

// A graph is a GraphProto that grows. Each value has a name.
type graph struct {
	nodes, constants, inputs, outputs message
	made                              int             // names that were made
	taken                             map[string]bool // names of inputs and outputs
}

// name returns a new name.
func (g *graph) name() string {
	for {
		g.made++
		if name := fmt.Sprint("v", g.made); !g.taken[name] {
			return name
		}
	}
}

// An attr is an attribute of an operator.
type attr struct {
	name  string
	value any
}

// do adds an operator of ONNX, or of ONNX-ML if its name begins with "ml.", and returns its output.
func (g *graph) do(operator string, inputs []string, attrs ...attr) string {
	output := g.name()
	var node message
	for _, input := range inputs {
		node = node.text(1, input)
	}
	node = node.text(2, output)
	if inML, ok := strings.CutPrefix(operator, "ml."); ok {
		node = node.text(4, inML).text(7, "ai.onnx.ml")
	} else {
		node = node.text(4, operator)
	}
	for _, a := range attrs {
		node = node.bytes(5, attribute(a.name, a.value))
	}
	g.nodes = g.nodes.bytes(1, node)
	return output
}

// constant adds a tensor.
func (g *graph) constant(t tensor) string {
	name := g.name()
	g.constants = g.constants.bytes(5, message(t).text(8, name))
	return name
}

// cast converts a value to another type of elements.
func (g *graph) cast(value string, to element) string {
	return g.do("Cast", []string{value}, attr{"to", to})
}

// valueInfo returns the ValueInfoProto of a tensor whose first axis is the rows.
func valueInfo(name string, kind element, columns ...int) message {
	shape := message{}.bytes(1, message{}.text(2, "rows"))
	for _, n := range columns {
		shape = shape.bytes(1, message{}.number(1, n))
	}
	kinds := message{}.number(1, int(kind)).bytes(2, shape)
	return message{}.text(1, name).bytes(2, message{}.bytes(1, kinds))
}

// input declares an input of the model, with an axis of rows and one of columns.
func (g *graph) input(name string, kind element, columns int) string {
	g.inputs = g.inputs.bytes(11, valueInfo(name, kind, columns))
	return name
}

// output declares that a value is an output of the model, under a name.
func (g *graph) output(name, value string, kind element, columns ...int) {
	g.nodes = g.nodes.bytes(1, message{}.text(1, value).text(2, name).text(4, "Identity"))
	g.outputs = g.outputs.bytes(12, valueInfo(name, kind, columns...))
}

// The versions of the operators and of the format, which runtimes of 2023 and later know.
const (
	irVersion = 8
	opset     = 18
	mlOpset   = 3
)

// model returns the ModelProto.
func (g *graph) model(name, doc string) []byte {
	of := append(message{}, g.nodes...)
	of = append(of.text(2, name), g.constants...).text(10, doc)
	of = append(append(of, g.inputs...), g.outputs...)
	m := message{}.number(1, irVersion).text(2, "Obliqua").bytes(7, of)
	return m.bytes(8, message{}.text(1, "").number(2, opset)).bytes(8, message{}.text(1, "ai.onnx.ml").number(2, mlOpset))
}
