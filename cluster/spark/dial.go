package spark

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"

	"github.com/obliqua-ml/obliqua/cluster/spark/internal/connect"
)

// An Engine is a session on a Spark Connect server. It implements [cluster.RowEngine], and may
// be used by several goroutines at a time.
type Engine struct {
	connection *grpc.ClientConn
	service    connect.SparkConnectServiceClient
	remote     *remote
	session    string
	program    string // path of the worker's executable file; "" means this program's
	slots      int
	cpus       int // of a task

	sending sync.Mutex
	sent    map[string]bool // names of the session's files

	mu       sync.Mutex
	observed string // the server's name of the session
}

// Program is an option of [Dial]. It makes workers run another executable file than this program's: one built for the
// cluster's machines, where they run another operating system. It must be built of the same
// sources, and call [cluster.Main] with the same learners.
func Program(path string) func(*Engine) { return func(e *Engine) { e.program = path } }

// Dial opens a session on a Spark Connect server. The address is a connection string of Spark
// Connect:
//
//	sc://host:port/;name=value;name=value
//
// The port is 15002 if none is given. Values are percent-decoded. The names are
//
//	token                  a bearer token; the connection is encrypted then, unless it is to this machine
//	use_ssl                true encrypts the connection, verified by this machine's certificates
//	user_id                the user whose session it is; default $SPARK_USER or $USER
//	user_agent             what the server's log calls this program
//	session_id             a UUID of 36 characters, to share a session; Close doesn't end it then
//	grpc_max_message_size  bytes of the largest message from the server; default 2 GiB
//
// All others, such as x-request-source, are sent with every request as headers; authorization is a
// secret as a token is, and for other secrets set use_ssl. If there is no
// token, $SPARK_CONNECT_AUTHENTICATE_TOKEN is taken, as other clients of Spark do.
//
// Dial returns an error if the server can't be reached, refuses, or runs a Spark older than 4.0,
// and ctx's error soon after ctx is cancelled. It counts the cluster's slots as they are at this moment: an
// executor that comes later gets tasks, but Slots doesn't tell of it.
func Dial(ctx context.Context, address string, options ...func(*Engine)) (*Engine, error) {
	r, err := parseRemote(address)
	if err != nil {
		return nil, fmt.Errorf("spark: %w", err)
	}
	e := &Engine{remote: r, session: cmp.Or(r.session, uuid.NewString()), sent: map[string]bool{}}
	for _, o := range options {
		o(e)
	}
	e.connection, err = grpc.NewClient(r.target, r.options()...)
	if err != nil {
		return nil, fmt.Errorf("spark: %w", err)
	}
	e.service = connect.NewSparkConnectServiceClient(e.connection)
	if err := e.begin(ctx); err != nil {
		e.connection.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("spark: %s: %w", r.target, e.explain(err))
	}
	return e, nil
}

// Close ends the session: the server forgets its files, and stops what it still runs.
func (e *Engine) Close() error {
	var err error
	if e.remote.session == "" {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_, err = e.service.ReleaseSession(ctx, &connect.ReleaseSessionRequest{SessionId: e.session,
			UserContext: e.remote.user()})
	}
	if err = errors.Join(err, e.connection.Close()); err != nil {
		return fmt.Errorf("spark: %w", e.explain(err))
	}
	return nil
}

// Slots returns how many tasks the cluster could do at a time when [Dial] asked.
func (e *Engine) Slots() int { return e.slots }

// Program returns the path of the executable file that workers run.
func (e *Engine) Program() (string, error) {
	if e.program == "" {
		return os.Executable()
	}
	return e.program, nil
}

// begin asks what the server can, and makes settings of the session.
func (e *Engine) begin(ctx context.Context) error {
	version, err := e.analyze(ctx, &connect.AnalyzePlanRequest{Analyze: &connect.AnalyzePlanRequest_SparkVersion_{}})
	if err != nil {
		return err
	}
	has := version.GetSparkVersion().GetVersion()
	if major, err := strconv.Atoi(strings.Split(has, ".")[0]); err != nil || major < 4 {
		return fmt.Errorf("the server runs Spark %s; want 4.0 or newer", has)
	}
	cpus := "1"
	c, err := e.config(ctx, &connect.ConfigRequest_Operation{OpType: &connect.ConfigRequest_Operation_GetWithDefault{
		GetWithDefault: &connect.ConfigRequest_GetWithDefault{Pairs: []*connect.KeyValue{{Key: "spark.task.cpus",
			Value: &cpus}}}}})
	if err != nil {
		return err
	}
	for _, p := range c.Pairs {
		cpus = p.GetValue()
	}
	if e.cpus, err = strconv.Atoi(cpus); err != nil || e.cpus < 1 {
		return fmt.Errorf("the server says that spark.task.cpus is %q; want a number from 1 on", cpus)
	}
	if _, err := e.config(ctx, &connect.ConfigRequest_Operation{OpType: &connect.ConfigRequest_Operation_Unset{
		Unset: &connect.ConfigRequest_Unset{Keys: []string{parallelism}}}}); err != nil {
		return err
	}
	if e.slots, err = e.countSlots(ctx); err != nil {
		return err
	}
	return e.settings(ctx, map[string]string{
		parallelism:                           strconv.Itoa(math.MaxInt32),
		"spark.sql.files.minPartitionNum":     strconv.Itoa(4 * e.slots),
		"spark.sql.chunkBase64String.enabled": "false",
		"spark.sql.ansi.enabled":              "true",  // a cell that is no number is an error
		"spark.sql.variable.substitute":       "false", // ${…} in the name of a column is a part of the name
	})
}

// parallelism is the setting into how many tasks Spark cuts tables that are sent with a query and
// ranges of numbers. By default it is the number of cores. With a large number, each row of a
// table of tasks becomes a task.
const parallelism = "spark.sql.leafNodeDefaultParallelism"

var splits = regexp.MustCompile(`splits=(?:Some\()?(\d{1,9})\b`)

// countSlots returns into how many parts Spark would cut a range of numbers: as many as it has
// cores for tasks.
func (e *Engine) countSlots(ctx context.Context) (int, error) {
	r, err := e.analyze(ctx, &connect.AnalyzePlanRequest{
		Analyze: &connect.AnalyzePlanRequest_Explain_{Explain: &connect.AnalyzePlanRequest_Explain{
			Plan:        plan(sql("SELECT * FROM range(1000000)")),
			ExplainMode: connect.AnalyzePlanRequest_Explain_EXPLAIN_MODE_SIMPLE}}})
	if err != nil {
		return 0, err
	}
	m := splits.FindStringSubmatch(r.GetExplain().GetExplainString())
	if m == nil {
		return 0, fmt.Errorf("the number of slots can't be read from the plan %q", r.GetExplain().GetExplainString())
	}
	n, err := strconv.Atoi(m[1])
	return max(1, n/e.cpus), err
}

func (e *Engine) settings(ctx context.Context, values map[string]string) error {
	set := &connect.ConfigRequest_Set{}
	for k, v := range values {
		set.Pairs = append(set.Pairs, &connect.KeyValue{Key: k, Value: &v})
	}
	_, err := e.config(ctx, &connect.ConfigRequest_Operation{OpType: &connect.ConfigRequest_Operation_Set{Set: set}})
	return err
}

func (e *Engine) analyze(ctx context.Context, r *connect.AnalyzePlanRequest) (*connect.AnalyzePlanResponse, error) {
	r.SessionId, r.UserContext, r.ClientType = e.session, e.remote.user(), &e.remote.agent
	r.ClientObservedServerSideSessionId = e.seen()
	a, err := e.service.AnalyzePlan(ctx, r)
	e.see(a.GetServerSideSessionId())
	return a, err
}

func (e *Engine) config(ctx context.Context, o *connect.ConfigRequest_Operation) (*connect.ConfigResponse, error) {
	a, err := e.service.Config(ctx, &connect.ConfigRequest{SessionId: e.session, UserContext: e.remote.user(),
		ClientType:                        &e.remote.agent,
		ClientObservedServerSideSessionId: e.seen(), Operation: o})
	e.see(a.GetServerSideSessionId())
	return a, err
}

// see keeps the server's name of the session. A server that was started again has another one and
// refuses requests with this one, as the session's files are gone.
func (e *Engine) see(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.observed == "" {
		e.observed = name
	}
}

func (e *Engine) seen() *string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.observed == "" {
		return nil
	}
	return &e.observed
}

// A remote is what a connection string says.
type remote struct {
	target     string // host:port
	encrypted  bool
	token      string
	id         string // of the user
	agent      string
	session    string
	maxMessage int
	headers    map[string]string
}

func parseRemote(address string) (*remote, error) {
	rest, ok := strings.CutPrefix(address, "sc://")
	if !ok {
		return nil, errors.New("the address must begin with sc://, as in sc://host:15002")
	}
	host, rest, _ := strings.Cut(rest, "/")
	if host == "" || strings.ContainsAny(host, ";@?#") {
		return nil, fmt.Errorf("the address has the host %q; want sc://host:port/;name=value", host)
	}
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), "15002")
	}
	r := &remote{
		target: host, agent: "obliqua", id: cmp.Or(os.Getenv("SPARK_USER"), os.Getenv("USER")), maxMessage: math.MaxInt32,
		token: os.Getenv("SPARK_CONNECT_AUTHENTICATE_TOKEN"), headers: map[string]string{},
	}
	path, parameters, _ := strings.Cut(rest, ";")
	if path != "" {
		return nil, fmt.Errorf("the address has the path %q; it must be empty", path)
	}
	for p := range strings.SplitSeq(parameters, ";") {
		if p == "" {
			continue
		}
		name, value, ok := strings.Cut(p, "=")
		value, err := url.PathUnescape(value)
		if !ok || name == "" || err != nil {
			return nil, fmt.Errorf("a parameter of the address, %s, is not name=value", name)
		}
		if err := r.set(name, value); err != nil {
			return nil, fmt.Errorf("parameter %s of the address: %w", name, err)
		}
	}
	secret := r.token != "" || r.headers["authorization"] != ""
	if name, _, _ := net.SplitHostPort(r.target); secret && !loopback(name) {
		r.encrypted = true
	}
	return r, nil
}

func (r *remote) set(name, value string) (err error) {
	switch name {
	case "token":
		r.token = value
	case "use_ssl":
		r.encrypted, err = strconv.ParseBool(value)
	case "user_id":
		r.id = value
	case "user_agent":
		r.agent = value
	case "session_id":
		// It becomes a part of a command, and Validate takes longer forms, too.
		if r.session = value; len(value) != len(uuid.Nil.String()) || uuid.Validate(value) != nil {
			err = fmt.Errorf("%q; want a UUID such as %s", value, uuid.Nil)
		}
	case "grpc_max_message_size":
		r.maxMessage, err = strconv.Atoi(value)
	default:
		r.headers[strings.ToLower(name)] = value
	}
	return err
}

// loopback reports whether host is this machine, so that what is sent there can't be overheard.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (r *remote) user() *connect.UserContext {
	return &connect.UserContext{UserId: r.id, UserName: r.id}
}

func (r *remote) options() []grpc.DialOption {
	headers := metadata.New(r.headers)
	if r.token != "" {
		headers.Set("authorization", "Bearer "+r.token)
	}
	transport := insecure.NewCredentials()
	if r.encrypted {
		transport = credentials.NewTLS(&tls.Config{})
	}
	return []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithUserAgent(r.agent),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(r.maxMessage), grpc.MaxCallSendMsgSize(math.MaxInt32)),
		// A connection that is dead without a word is noticed. Servers refuse to be asked more often.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 6 * time.Minute}),
		grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, q, a any, c *grpc.ClientConn,
			call grpc.UnaryInvoker, o ...grpc.CallOption) error {
			return call(withHeaders(ctx, headers), method, q, a, c, o...)
		}),
		grpc.WithChainStreamInterceptor(func(ctx context.Context, d *grpc.StreamDesc, c *grpc.ClientConn, method string,
			open grpc.Streamer, o ...grpc.CallOption) (grpc.ClientStream, error) {
			return open(withHeaders(ctx, headers), d, c, method, o...)
		}),
	}
}

func withHeaders(ctx context.Context, headers metadata.MD) context.Context {
	own, _ := metadata.FromOutgoingContext(ctx)
	return metadata.NewOutgoingContext(ctx, metadata.Join(own, headers))
}
