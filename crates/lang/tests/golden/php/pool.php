<html><?php
namespace App\Pools;

use App\Base;
use App\Contracts\{Closeable, Other as O};
use function App\helper;
use const App\LIMIT;
require_once __DIR__ . '/lib.php';
include 'x.php';

const MAX = 10;
define('MIN', 2);

/** A pool. */
#[Attribute]
final class Pool extends Base implements Closeable, \Countable
{
    use LogTrait, OtherTrait;
    public const K = 1;
    private static int $count = 0;
    protected ?Conn $items = null, $b;

    public function __construct(private int $size, Conn|null $c = null, string ...$names) {
        parent::__construct($size);
        $this->items = new Conn($size);
    }
    public static function make(int $n): static { return new static($n); }
    abstract function touch();
    function acquire(&$x): ?Conn {
        foreach ($this->items as $k => $item) { $item->ping(); }
        $c = Factory::create($this);
        $f = function ($a) use ($c) { return $c->run($a); };
        $g = fn(Conn $z) => $z->go();
        helper($c); self::make(1)->close(); static::$count; Pool::K; \strlen("x");
        $c?->maybe();
        try { f(); } catch (IOException | Foo $e) { log($e->getMessage()); }
        if ($c instanceof Conn) { }
        echo MAX;
        return $c;
    }
}
interface Thing extends A, B { function f(int $x): string; }
trait LogTrait { function log($m) {} }
enum Mode: string { case Fast = 'f'; case Slow = 's'; function go() {} }
function top(array $xs, callable $cb = null): int { return $cb($xs); }
$global = new Pool(1);
$anon = new class(3) extends Base { function h() {} };
class PoolTest extends TestCase { /** @test */ public function testWorks() { $this->assertSame(1, 2); } }
