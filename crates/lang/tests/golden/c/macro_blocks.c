#define vmcase(l) case l:
static int run(int op)
{
  vmdispatch (GET(op)) {
    vmcase(OP_ADD) {
      add(op);
      vmbreak;
    }
    vmcase(OP_SUB){
      sub(op);
    }
  }
  FOREACH(item, list) {
    work(item);
  }
  FOREVER {
    wait();
  }
  BEGIN(setup())
  struct testcase {
    int x;
  };
  LOCK()
  leave();
  return op;
}

static int after(void) { return 1; }
