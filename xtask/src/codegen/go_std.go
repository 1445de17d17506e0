// Writes crates/lang/src/local_code/go_std.txt: what the exported declarations of Go's standard library are.
//
//	go run xtask/src/codegen/go_std.go > crates/lang/src/local_code/go_std.txt
//
// A row is a name with the path of its package, a tab, and the results of a function or method (`name()`, `|` between
// them), the type of a field, or what a type is: `struct`, `interface`, `basic`, `reference`, or the map or slice that it
// is made of.
package main

import (
	"bufio"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"sort"
	"strings"
)

var packages = strings.Fields(`
	bufio bytes compress/gzip context crypto/md5 crypto/rand crypto/sha1 crypto/sha256 crypto/tls crypto/x509 database/sql encoding/base64
	encoding/binary encoding/csv encoding/hex encoding/json encoding/xml errors flag fmt go/ast go/parser go/token hash
	html html/template io io/fs io/ioutil log log/slog math math/big math/rand mime mime/multipart
	net net/http net/http/cookiejar net/http/httptest net/http/httputil net/netip net/textproto net/url os os/exec os/signal path
	path/filepath reflect regexp runtime runtime/debug sort strconv strings sync sync/atomic testing text/tabwriter
	text/template time unicode unicode/utf8
`)

var unwritable = regexp.MustCompile(`func\(|(^|[^-])chan\b|(struct|interface)\{|\.[a-z]`)

func main() {
	imports := importer.ForCompiler(token.NewFileSet(), "source", nil)
	rows := map[string]string{}
	for _, path := range packages {
		of, err := imports.Import(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, path, err)
			os.Exit(1)
		}
		scope := of.Scope()
		for _, name := range scope.Names() {
			if object := scope.Lookup(name); object.Exported() {
				add(rows, path+"."+name, object)
			}
		}
	}
	names := make([]string, 0, len(rows))
	for name := range rows {
		names = append(names, name)
	}
	sort.Strings(names)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprintln(out, "# Exported declarations of Go's standard library: results of functions and methods (`()`), types of fields, and what types are.")
	for _, name := range names {
		fmt.Fprintf(out, "%s\t%s\n", name, rows[name])
	}
}

func add(rows map[string]string, name string, object types.Object) {
	switch object := object.(type) {
	case *types.Func:
		addResults(rows, name, object.Type().(*types.Signature))
	case *types.TypeName:
		if named, ok := types.Unalias(object.Type()).(*types.Named); ok && named.TypeParams().Len() == 0 {
			addType(rows, name, named)
		}
	}
}

func addType(rows map[string]string, name string, of types.Type) {
	switch under := of.Underlying().(type) {
	case *types.Struct:
		rows[name] = "struct"
		for i := 0; i < under.NumFields(); i++ {
			if field := under.Field(i); field.Exported() {
				put(rows, name+"."+field.Name(), field.Type())
			}
		}
	case *types.Interface:
		rows[name] = "interface"
	case *types.Basic:
		rows[name] = "basic"
	case *types.Map, *types.Slice:
		put(rows, name, under)
	case *types.Chan, *types.Pointer, *types.Signature:
		rows[name] = "reference"
	}
	methods := types.NewMethodSet(types.NewPointer(of))
	if _, isInterface := of.Underlying().(*types.Interface); isInterface {
		methods = types.NewMethodSet(of)
	}
	for i := 0; i < methods.Len(); i++ {
		if method := methods.At(i).Obj(); method.Exported() {
			addResults(rows, name+"."+method.Name(), method.Type().(*types.Signature))
		}
	}
}

func addResults(rows map[string]string, name string, signature *types.Signature) {
	results := signature.Results()
	if results.Len() == 0 {
		return
	}
	of := make([]types.Type, results.Len())
	for i := range of {
		of[i] = results.At(i).Type()
	}
	put(rows, name+"()", of...)
}

// Leaves a row out if the reader cannot write one of its types: functions, channels to write to, types without a name.
func put(rows map[string]string, name string, all ...types.Type) {
	words := make([]string, len(all))
	for i, of := range all {
		words[i] = types.TypeString(of, func(of *types.Package) string { return of.Path() })
		if unwritable.MatchString(words[i]) {
			return
		}
	}
	rows[name] = strings.Join(words, "|")
}
