package spark

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"math"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// The examples are those of Spark's description of connection strings, and what differs from them.
func TestConnectionStrings(t *testing.T) {
	t.Setenv("SPARK_USER", "ann")
	t.Setenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", "")
	with := func(change func(*remote)) remote {
		r := remote{target: "myhost.com:15002", agent: "obliqua", id: "ann", maxMessage: math.MaxInt32,
			headers: map[string]string{}}
		change(&r)
		return r
	}
	for address, want := range map[string]remote{
		"sc://myhost.com":   with(func(r *remote) {}),
		"sc://myhost.com/;": with(func(r *remote) {}),
		"sc://myhost.com:443/;use_ssl=true;token=ABCDEFG": with(func(r *remote) {
			r.target, r.encrypted, r.token = "myhost.com:443", true, "ABCDEFG"
		}),
		"sc://myhost.com/;token=a%3Bb%3D": with(func(r *remote) { r.encrypted, r.token = true, "a;b=" }),
		"sc://myhost.com/;Authorization=Basic%20YTpi": with(func(r *remote) {
			r.encrypted, r.headers = true, map[string]string{"authorization": "Basic YTpi"}
		}),
		"sc://localhost/;authorization=x": with(func(r *remote) {
			r.target, r.headers = "localhost:15002", map[string]string{"authorization": "x"}
		}),
		"sc://localhost:1/;token=a;use_ssl=true": with(func(r *remote) {
			r.target, r.token, r.encrypted = "localhost:1", "a", true
		}),
		"sc://[::1]/;token=a==": with(func(r *remote) { r.target, r.token = "[::1]:15002", "a==" }),
		"sc://127.0.0.2:5":      with(func(r *remote) { r.target = "127.0.0.2:5" }),
		"sc://myhost.com/;user_id=Martin;user_agent=my_app;" +
			"grpc_max_message_size=134217728;X-Source=a%20b": with(func(r *remote) {
			r.id, r.agent, r.maxMessage, r.headers = "Martin", "my_app", 134217728, map[string]string{"x-source": "a b"}
		}),
		"sc://myhost.com/;session_id=550e8400-e29b-41d4-a716-446655440000": with(func(r *remote) {
			r.session = "550e8400-e29b-41d4-a716-446655440000"
		}),
	} {
		got, err := parseRemote(address)
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: %+v, error %v; want %+v", address, got, err, want)
		}
	}
	for address, want := range map[string]string{
		"http://myhost.com":  "must begin with sc://",
		"sc://":              "the host",
		"sc://;token=secret": "the host",
		"sc://myhost.com:443/mypathprefix/;token=secret": `the path "mypathprefix/"`,
		"sc://myhost.com/;use_ssl=perhaps":               "use_ssl",
		"sc://myhost.com/;session_id=7":                  "session_id",
		// All of these are UUIDs to uuid.Parse.
		"sc://myhost.com/;session_id={550e8400-e29b-41d4-a716-446655440000}":        "session_id",
		"sc://myhost.com/;session_id=%3B550e8400-e29b-41d4-a716-446655440000%0A":    "session_id",
		"sc://myhost.com/;session_id='550e8400-e29b-41d4-a716-446655440000'":        "session_id",
		"sc://myhost.com/;session_id=urn:uuid:550e8400-e29b-41d4-a716-446655440000": "session_id",
		"sc://myhost.com/;session_id=550e8400e29b41d4a716446655440000":              "session_id",
		"sc://myhost.com/;session_id=550e8400-e29b-41d4-a716-44665544000%0A":        "session_id",
		"sc://myhost.com/;grpc_max_message_size=big":                                "grpc_max_message_size",
		"sc://myhost.com/;secret":        "not name=value",
		"sc://myhost.com/;token=secret%": "not name=value",
	} {
		_, err := parseRemote(address)
		if readtest.WantError(t, err, want); err != nil && strings.Contains(err.Error(), "secret%") {
			t.Errorf("%s: the error tells a token: %v", address, err)
		}
	}
	t.Setenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", "from outside")
	if r, err := parseRemote("sc://myhost.com"); err != nil || r.token != "from outside" || !r.encrypted {
		t.Errorf("a token of the environment: %+v, error %v", r, err)
	}
}

func TestDialRefusesOldSpark(t *testing.T) {
	for version, refused := range map[string]bool{"3.5.6": true, "2.4.0": true, "": true, "4.0.1": false,
		"4.1.0-preview": false, "10.0.0": false} {
		f := (&fake{version: version}).serve(t)
		if version == "" {
			f.version = ""
		}
		e, err := Dial(t.Context(), "sc://"+f.address)
		if !refused {
			if err != nil {
				t.Errorf("Spark %s: error %v", version, err)
			} else {
				e.Close()
			}
			continue
		}
		readtest.WantError(t, err, "Spark "+version+"; want 4.0 or newer")
		if !slices.Equal(f.requests, []string{"analyze"}) {
			t.Errorf("Spark %s is asked for %v", version, f.requests)
		}
	}
}

// Numbers of a server that can't be are refused.
func TestDialRefusesNumbers(t *testing.T) {
	for want, f := range map[string]*fake{
		`spark.task.cpus is "0"`:    {cpus: "0"},
		`spark.task.cpus is "-3"`:   {cpus: "-3"},
		`spark.task.cpus is "some"`: {cpus: "some"},
		"can't be read":             {splits: "9000000000000000000"}, // four times as many are more than 2⁶³
	} {
		_, err := Dial(t.Context(), "sc://"+f.serve(t).address)
		readtest.WantError(t, err, want)
	}
}

// A batch of records says how long its parts are. No room is made for what isn't there.
func TestBatchThatLies(t *testing.T) {
	r := must.Value(table([]string{"a line"}))
	data := r.GetLocalRelation().GetData()
	n := int(binary.LittleEndian.Uint32(data[4:])) // of the schema's message, after the mark
	for _, at := range []int{4, 8 + n + 4} {
		lie := bytes.Clone(data)
		binary.LittleEndian.PutUint32(lie[at:], 1<<25)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := rows(lie, func([]byte) error { return nil })
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 1<<20 {
			t.Errorf("error %v, %d bytes were taken for %d", err, took, len(lie))
		}
	}
}

func TestDialFailsWithoutServer(t *testing.T) {
	address := "127.0.0.1:1"
	_, err := Dial(t.Context(), "sc://"+address)
	readtest.WantError(t, err, "no connection to "+address)
	s := httptest.NewServer(nil) // no Spark, not even gRPC
	defer s.Close()
	_, err = Dial(t.Context(), "sc://"+s.Listener.Addr().String())
	readtest.WantError(t, err, "spark: 127.0.0.1:")
}

func TestDialIsCancelled(t *testing.T) {
	l := must.Value(net.Listen("tcp", "127.0.0.1:0")) // which answers nothing
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Dial(ctx, "sc://"+l.Addr().String()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestDial(t *testing.T) {
	f := new(fake).serve(t)
	e := must.Value(Dial(t.Context(), "sc://"+f.address+"/;token=abc;user_id=ann;x-source=test", Program("/bin/other")))
	if e.Slots() != 4 { // 12 cores, and 3 for a task
		t.Errorf("%d slots, want 4", e.Slots())
	}
	if p, err := e.Program(); p != "/bin/other" || err != nil {
		t.Errorf("program %q, error %v", p, err)
	}
	if got := f.headers.Get("authorization"); !slices.Equal(got, []string{"Bearer abc"}) {
		t.Errorf("authorization %q", got)
	}
	if got := f.headers.Get("x-source"); !slices.Equal(got, []string{"test"}) || f.user != "ann" {
		t.Errorf("x-source %q, user %q", got, f.user)
	}
	if err := e.Close(); err != nil || f.requests[len(f.requests)-1] != "release session" {
		t.Errorf("error %v, requests %v", err, f.requests)
	}
	e = must.Value(Dial(t.Context(), "sc://"+f.address+"/;session_id=550e8400-e29b-41d4-a716-446655440000"))
	if err := e.Close(); err != nil || f.requests[len(f.requests)-1] == "release session" {
		t.Errorf("a session that others may use is ended: error %v, requests %v", err, f.requests)
	}
}

// A server's certificate is verified by those of the machine, and the token travels encrypted.
func TestTLS(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the machine's certificates can't be set for a test")
	}
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS() // for its certificate
	defer s.Close()
	f := new(fake).serve(t, grpc.Creds(credentials.NewServerTLSFromCert(&s.TLS.Certificates[0])))
	path := filepath.Join(t.TempDir(), "certificates")
	must.Do(os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}),
		0o600))
	t.Setenv("SSL_CERT_FILE", path)
	e := must.Value(Dial(t.Context(), "sc://"+f.address+"/;use_ssl=true;token=abc"))
	defer e.Close()
	if got := f.headers.Get("authorization"); !slices.Equal(got, []string{"Bearer abc"}) {
		t.Errorf("authorization %q", got)
	}
	if _, err := Dial(t.Context(), "sc://"+f.address); err == nil {
		t.Error("a server that wants TLS is spoken to without")
	}
	// Another name than the certificate's.
	_, port, _ := strings.Cut(f.address, ":")
	_, err := Dial(t.Context(), "sc://localhost:"+port+"/;use_ssl=true")
	readtest.WantError(t, err, "certificate")
}
