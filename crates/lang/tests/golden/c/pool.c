#include <stdio.h>
#include "pool.h"
#define MAX 10
#define SQ(x) ((x)*(x))

/* A pool. */
typedef struct pool {
    struct conn *items;
    int size, cap[4];
    int (*cb)(struct pool *p, int n);
} pool_t;

struct node { struct node *next; };
enum mode { FAST = 1, SLOW };
union u { int i; float f; };
typedef int (*handler)(int);
typedef unsigned long ulong;

extern int counter;
static int local_count = 0;
const char *names[] = {"a", "b"};
static const struct ops table = { .open = pool_open, .close = pool_close };
int pool_open(pool_t *p, int flags);

/** Opens. */
static inline pool_t *pool_new(int size, const char *name, ...) {
    pool_t *p = malloc(sizeof(pool_t));
    struct node n = {0}, *m = &n;
    p->size = size;
    p->cb(p, MAX);
    for (int i = 0; i < size; i++) { use(p->items[i]); }
    handler h = on_event;
    register_cb(on_event, &p->size);
    (*h)(3);
    ((struct node *)m)->next = NULL;
    pool_t q = (pool_t){ .size = 2 };
    goto out;
out:
    return p;
}

int main(int argc, char **argv) { return pool_new(SQ(argc), argv[0])->size; }
int (*get_cb(int x))(int) { return 0; }
#ifdef X
void only_x(void) { f(); }
#else
void only_y() {}
#endif
