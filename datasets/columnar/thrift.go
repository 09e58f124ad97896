package columnar

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"

	"github.com/apache/thrift/lib/go/thrift"
)

// checkFooter checks the metadata at the end of a Parquet file before arrow-go decodes it,
// since arrow-go allocates as many elements for a list as the list claims to have.
func checkFooter(f *os.File, size int64) error {
	tail := make([]byte, 8)
	if size < 12 {
		return errDamaged("%d bytes are too few for Parquet", size)
	}
	if _, err := f.ReadAt(tail, size-8); err != nil {
		return err
	}
	switch string(tail[4:]) {
	case "PAR1":
	case "PARE":
		return errors.New("the file is encrypted, which is not supported")
	default:
		return errDamaged("it doesn't end as a Parquet file does; it may be cut short")
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if length > size-12 {
		return errDamaged("metadata of %d bytes in a file of %d", length, size)
	}
	b := make([]byte, length)
	if _, err := f.ReadAt(b, size-8-length); err != nil {
		return err
	}
	// No text and no list is longer than all of the metadata.
	limits := &thrift.TConfiguration{MaxMessageSize: int32(min(length, math.MaxInt32))}
	protocol := thrift.NewTCompactProtocolConf(&thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(b)}, limits)
	if thrift.SkipDefaultDepth(context.Background(), protocol, thrift.STRUCT) != nil {
		return errDamaged("its metadata can't be decoded")
	}
	return nil
}
