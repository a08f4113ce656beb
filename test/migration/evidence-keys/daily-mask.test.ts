import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDailyMask } from '#migration/shadow/run-comparison.ts'
import { compare, recordedResponse } from '../responses.ts'

const day = 86_400_000
const noon = Date.parse('2026-11-20T12:00:00.000Z')
const sixHours = day / 4

// A long text with a letter that no mask contains. If the text appears in an output, it was copied there.
const planted = fc.string({ minLength: 8, maxLength: 60 }).map((text) => `Z${text}Z`)
const json = fc.jsonValue({ maxDepth: 2 })

const library = (fields: object) =>
  recordedResponse(200, {
    id: 'lib_1',
    name: 'Demos',
    description: null,
    createdAt: '2026-11-20T10:00:00.000Z',
    updatedAt: '2026-11-20T10:00:00.000Z',
    trackCount: 1,
    shareCount: 0,
    ...fields,
  })

describe('the masks of example values', () => {
  it('are the same for equal values on all instances with the same secret, and change daily', () => {
    fc.assert(
      fc.property(
        fc.string(),
        json,
        fc.integer({ min: -sixHours, max: sixHours }),
        (secret, value, shift) => {
          const masked = createDailyMask(secret, noon)(value)
          expect(createDailyMask(secret, noon + shift)(structuredClone(value))).toBe(masked)
          const others = [createDailyMask(secret, noon + day), createDailyMask(`${secret} `, noon)]
          for (const other of others) expect(other(value) === masked).toBe(!masked.includes('#'))
        },
      ),
    )
  })

  it('differ for different values', () => {
    const mask = createDailyMask('secret', noon)
    const values = Array.from({ length: 10_000 }, (_, index) => `customer ${index}`)
    expect(new Set(values.map(mask)).size).toBe(values.length)
  })

  it('reveal nothing about the value', () => {
    fc.assert(
      fc.property(fc.string(), planted, (secret, value) => {
        const mask = createDailyMask(secret, noon)
        for (const each of [value, [value], { [value]: value }, { a: { b: value } }])
          expect(mask(each)).toMatch(/^(string #[0-9a-f]{10}|array of 1|object)$/)
      }),
    )
  })

  it('hide response values in differences', () => {
    const mask = createDailyMask('secret', noon)
    fc.assert(
      fc.property(
        planted,
        planted,
        fc.constantFrom('name', 'description', 'id', 'note', 'token'),
        (ours, theirs, field) => {
          for (const value of [
            (text: string) => text,
            (text: string) => [text],
            (text: string) => ({ text }),
          ]) {
            const verdict = compare(
              'libraries.detail',
              library({ [field]: value(ours) }),
              library({ [field]: value(theirs) }),
              { mask },
            )
            const printed = JSON.stringify(verdict)
            for (const text of [ours, theirs])
              expect(printed).not.toContain(JSON.stringify(text).slice(1, -1))
          }
        },
      ),
    )
  })
})
