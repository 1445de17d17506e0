// Package pool keeps connections.
package pool

import (
	"fmt"
	log "example.com/lib/logging"
	. "math"
	_ "embed"
)

import "testing"

// Max is the limit.
const Max, min = 10, 2

const (
	Idle State = iota
	Busy
)

// State of a pool.
type State int

type Alias = map[string]*Pool

// Pool holds them.
type Pool struct {
	*Base
	sync.Mutex
	items []Conn // all
	A, B  int `json:"a"`
	next  func(x int) error
}

type Reader interface {
	io.Closer
	Read(p []byte) (n int, err error)
}

type Set[T comparable, V any] struct{ m map[T]V }

var Default = New(Max)
var (
	x, y int
	z    *Pool = nil
)

// New makes one.
func New(size int, opts ...Option) (*Pool, error) {
	p := &Pool{items: make([]Conn, size), Base: NewBase()}
	q := Set[int, string]{}
	for i, c := range p.items {
		c.Close()
		fmt.Println(i)
	}
	var e error
	if v, ok := q.m[1]; ok {
		use(v)
	}
	p.Base.Run(func(a int) { p.put(a) })
	go p.loop()
	defer log.Flush()
	switch t := any(p).(type) {
	case *Pool:
		t.Get()
	}
	p.A = 3
	fn := p.Get
	fn()
	return p, e
}

func (p *Pool) Get() Conn { return p.items[0] }
func (s Set[T, V]) Len(k T) int { return len(s.m) }
func Map[T any](f func(T) T, xs []T) []T { return nil }

func TestPool(t *testing.T) {
	p, err := New(1)
	_ = err
	p.Get().Close()
	items := []Pool{{A: 1}, {A: 2}}
	m := map[string]Conn{"a": dial()}
	_, _ = items, m
	c := Conn(p)
	c.(*TLS).Shake()
}
