#include <functional>
#include <map>

void send_all();
void open_all();

class Queue {
public:
    explicit Queue(std::function<void()> task) : task_(task) {}
    void fire() { task_(); }
    void open(int name) { openers_.at(name)(); }

    std::function<void()> task_;
    std::map<int, std::function<void()>> openers_;
};

void set_up() {
    Queue queue(send_all);
    queue.openers_[1] = open_all;
}
