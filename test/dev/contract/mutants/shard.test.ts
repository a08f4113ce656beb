import { expect, it } from 'vitest'
import { shardOf } from '#dev/contract/mutants/run-mutants.ts'

it('the shards of a mutant run are of equal size, and together have each mutant once', () => {
  const mutants = Array.from({ length: 10 }, (_, index) => index)
  const shards = [1, 2, 3].map((index) => shardOf(mutants, { index, count: 3 }))
  expect(shards.map(({ length }) => length)).toEqual([4, 3, 3])
  expect(shards.flat().sort((a, b) => a - b)).toEqual(mutants)
})
