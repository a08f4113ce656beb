import { TrieRouter } from 'hono/router/trie-router'
import { describe, expect, it } from 'vitest'
import { comparePrecedence, createRowRouter } from '#gateway/app/app.ts'
import { createRandom } from '#test/support/random.ts'

describe('the row router', () => {
  it("finds the same row as Hono's TrieRouter, for any path of literals and parameters", () => {
    const random = createRandom(1)
    const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)]!
    const createPath = (segments: readonly string[]) =>
      Array.from(
        { length: 1 + Math.floor(random() * 4) },
        (_, depth) => `/${pick(segments).replace('#', `${depth}`)}`,
      ).join('')
    let found = 0
    for (let table = 0; table < 300; table += 1) {
      const rows = new Set(Array.from({ length: 12 }, () => createPath([':p#', ':p#', 'a', 'ab', 'b'])))
      const [fast, reference] = [createRowRouter<string>(), new TrieRouter<string>()]
      for (const path of [...rows].toSorted(comparePrecedence)) {
        fast.add('GET', path, path)
        reference.add('GET', path, path)
      }
      for (let requests = 0; requests < 40; requests += 1) {
        const path = createPath(['a', 'ab', 'b', 'c', ''])
        for (const method of ['GET', 'PUT']) {
          const [expected] = reference.match(method, path)[0]
          expect(fast.match(method, path)[0][0]?.[0], `${path} in ${[...rows].join(' ')}`).toBe(expected?.[0])
          if (expected) found += 1
        }
      }
    }
    expect(found).toBeGreaterThan(3000)
  })
})
