package kernel

import "github.com/obliqua-ml/obliqua/internal/device"

// A Run is the number of rows of a class in a region of a GRAF tree.
type Run = device.Run
