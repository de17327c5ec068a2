<?php

namespace Store;

/**
 * Keeps the entries that were used last.
 */
#[Attribute]
final class Cache extends Base
{
    public const CAPACITY = 64;

    public function __construct(private int $capacity)
    {
        $this->entries = [];
        parent::__construct();
    }

    #[Pure]
    public function get(string $key): mixed
    {
        $value = $this->entries[$key] ?? null;
        return $value;
    }
}

interface Loads
{
    public function load(string $key): string;
}

trait Counts
{
    protected function count(): int
    {
        $this->hits++;
        return $this->hits;
    }
}

enum Policy: string
{
    case Lru = 'lru';

    public static function named(string $name): self
    {
        $lower = strtolower($name);
        return self::from($lower);
    }
}

function cached(callable $load): callable
{
    $cache = new Cache(1);
    return $load;
}

$missing = function (string $key) {
    $message = "no $key";
    throw new KeyError($message);
};
