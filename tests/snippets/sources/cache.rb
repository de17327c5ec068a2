require 'json'

module Store
  # Keeps the entries that were used last.
  class Cache < Base
    POLICIES = {
      lru: 1,
      fifo: 2,
      mru: 3,
      lfu: 4,
    }.freeze

    attr_reader :capacity

    def initialize(capacity)
      @capacity = capacity
      @entries = {}
    end

    # An empty cache.
    def self.empty
      cache = new(0)
      cache.freeze
    end

    def [](key)
      @hits += 1
      @entries[key]
    end

    def capacity=(capacity)
      @capacity = capacity
      trim
    end

    define_method(:trim) do |by = 1|
      by.times { @entries.shift }
      self
    end

    class << self
      def build(**options)
        options[:capacity] ||= 64
        new(**options)
      end
    end

    private def key_of(value)
      json = JSON.dump(value)
      json.hash
    end
  end
end
