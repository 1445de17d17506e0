#include <vector>
#include "pool.hpp"
using namespace std;
using std::string;
namespace fs = std::filesystem;
using Items = std::vector<Conn>;
#define LIMIT 3

namespace a::b {
/// A pool.
template <typename T, int N = 3>
class Pool : public Base<T>, private virtual Mixin {
    int hidden;
public:
    explicit Pool(int size) : Base<T>(size), items_(size) {}
    ~Pool();
    T* acquire(const std::string& name, int t = 0) const override;
    static Pool* make();
    virtual void touch() = 0;
    bool operator==(const Pool& o) const;
    enum class Mode { Fast, Slow };
    struct Node { Node* next = nullptr; };
    using iterator = Node*;
    friend class X;
protected:
    std::vector<T> items_;
    static constexpr int kMax = 10;
};

template <typename T>
T* Pool<T>::acquire(const std::string& name, int t) const {
    auto c = std::make_unique<Conn>(name);
    for (auto& i : items_) { i.ping(); }
    Conn d(name), e{1};
    Pool<T>* p = new Pool<T>(3);
    p->touch();
    this->touch();
    a::b::helper(c.get());
    auto f = [this, &d](int x) { return d.run(x); };
    try { g(); } catch (const Error& err) { log(err.what()); }
    static_cast<Conn*>(p)->close();
    std::cout << name;
    return c.release();
}
Conn::Conn(int x) : x_(x) {}
Conn::~Conn() { close(); }
void helper(Conn *c) {}
int global = init();
extern "C" { void cfun(int); }
inline int fun2(int) { return LIMIT; }
}
enum Color { Red, Green };
typedef struct { int x; } Anon;
union U { int i; };
struct Fwd;
TEST(PoolTest, Works) { EXPECT_EQ(1, f()); }
concept_t v;
namespace { int hidden_one; }
