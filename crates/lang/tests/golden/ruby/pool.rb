require "set"
require_relative "lib/pool"

# Things.
module Acme
  MAX = 10
  # A pool.
  class Pool < Base::Thing
    include Enumerable
    extend Forwardable
    attr_reader :size, :name
    attr_accessor :next_one
    COUNT = 3
    @@all = []

    # Makes one.
    def initialize(size, name = "x", *rest, key: 1, **opts, &block)
      super(size)
      @items = []
      @size = size
    end

    def acquire(timeout)
      @items.each { |item| item.ping }
      c = Factory.create(self)
      c.run do |x, y|
        x.go(y)
      end
      puts c
      helper
      Conn.new(1).close
      a, b = pair
      Acme::Util.call(MAX)
      return c
    rescue IOError, Foo::Bar => e
      log(e.message)
    end

    def self.make
      new(3)
    end

    class << self
      def other; end
    end

    alias_method :get, :acquire
    alias put acquire

    private

    def hidden?; @size > 0; end
    def name=(v)
      @name = v
    end
    private def secret; end
  end
  Point = Struct.new(:x, :y)
end
class TestPool < Minitest::Test
  def test_works
    assert_equal 1, Acme::Pool.make.acquire(2)
  end
end
describe Pool do
  it "works" do
    expect(Pool.new).to eq(1)
  end
end
$global = 3
x = Pool.new
def top(a) = a + 1
