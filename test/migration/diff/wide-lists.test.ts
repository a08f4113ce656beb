import { describe, expect, it } from 'vitest'
import { compare, recordedResponse } from '#test/migration/responses.ts'

const elements = 1000
const listOf = (create: (index: number) => object) =>
  Array.from({ length: elements }, (_, index) => create(index))

/**
 * Issues are matched by their paths. One without a counterpart is looked up by its other content among the other side's
 * unmatched issues.
 */
const invalid = (issues: readonly unknown[]) => recordedResponse(400, { error: 'validation_error', issues })

describe('a list whose elements have no counterpart', () => {
  it.each([
    ['lack their key', () => ({})],
    ['have the same key', () => ({ path: 'same', message: 'same' })],
    ['each have their own key', (index: number) => ({ path: `native ${index}`, message: '' })],
  ])('is compared with fewer than 100 reads per element if the elements %s', (_, create) => {
    let reads = 0
    const counted = (element: object) =>
      Object.defineProperty(element, 'extra', {
        enumerable: true,
        get() {
          reads += 1
          return reads
        },
      })
    const native = listOf((index) => counted(create(index)))
    const core = listOf((index) => counted({ path: `core ${index}`, message: '' }))
    expect(compare('libraries.detail', invalid(native), invalid(core)).class).toBe('regression')
    expect(reads).toBeGreaterThan(elements)
    expect(reads).toBeLessThan(100 * elements)
  })
})
