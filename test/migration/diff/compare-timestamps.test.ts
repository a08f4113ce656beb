import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { contracts } from '#contracts/registry.ts'
import { Timestamp } from '#contracts/shared/primitives.ts'
import { mayBeSameTime, type TimeComparison } from '#migration/diff/compare-generated.ts'
import { compareValues } from '#migration/diff/compare-values.ts'
import { toDiffSchema } from '#migration/diff/diff-schema.ts'
import { body, createCollector } from '#migration/diff/difference-collector.ts'
import { findDifferences } from '#migration/diff/find-differences.ts'

const at = (minutes: number) =>
  new Date(Date.parse('2026-11-20T12:00:00.000Z') + minutes * 60_000).toISOString()
const now = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const inFuture = (minutes: number) => now(60 + minutes)

describe('two timestamps', () => {
  it.each<[TimeComparison, string, string, boolean]>([
    ['equal', at(0), at(0), true],
    ['equal', at(0), at(1), false],
    ['equal', inFuture(0), inFuture(1), true],
    ['equal', inFuture(0), inFuture(16), false],
    ['live', at(0), at(1), false],
    ['live', now(-14), now(0), true],
    ['live', now(-20), now(-14), false],
    ['live', inFuture(0), inFuture(1), true],
    ['live', inFuture(0), inFuture(16), false],
    ['near', inFuture(0), inFuture(1), true],
    ['near', at(0), at(14), true],
    ['near', at(0), at(16), false],
    ['near', at(0), inFuture(0), false],
    ['any', at(0), at(10_000), true],
  ])('by the rule "%s", %s and %s may be the same time: %s', (times, native, core, expected) => {
    const rules = { times, respondedAtMs: Date.now(), mayBeExpiry: true }
    expect(mayBeSameTime(native, core, rules)).toBe(expected)
    expect(mayBeSameTime(core, native, rules)).toBe(expected)
  })

  it.each<[TimeComparison, string, string, boolean]>([
    ['equal', now(1), now(2), true],
    ['equal', inFuture(0), inFuture(0.01), false],
    ['live', now(1), now(2), true],
    ['live', inFuture(0), inFuture(0.01), false],
    ['near', inFuture(0), inFuture(1), true],
  ])('that are no expiry of a URL: by the rule "%s", %s and %s may be the same time: %s', (...given) => {
    const [times, native, core, expected] = given
    const rules = { times, respondedAtMs: Date.now(), mayBeExpiry: false }
    expect(mayBeSameTime(native, core, rules)).toBe(expected)
    expect(mayBeSameTime(core, native, rules)).toBe(expected)
  })
})

describe("a record's timestamps", () => {
  const Record = z.object({ createdAt: Timestamp, updatedAt: Timestamp })
  const find = (
    times: TimeComparison,
    native: readonly [string, string],
    core: readonly [string, string],
  ) => {
    const found = createCollector(true, times)
    const [ours, theirs] = [native, core].map(([createdAt, updatedAt]) => ({ createdAt, updatedAt }))
    compareValues(found, toDiffSchema(Record), ours, theirs, body)
    return found.list().map(({ kind, location }) => `${kind} ${location.path}`)
  }

  it('differ if only one side shows an update after creation', () => {
    expect(find('near', [at(0), at(0)], [at(1), at(2)])).toEqual(['value body.updatedAt'])
    expect(find('near', [at(0), at(1)], [at(2), at(2)])).toEqual(['value body.updatedAt'])
    expect(find('near', [at(0), at(1)], [at(2), at(4)])).toEqual([])
    expect(find('near', [at(0), at(0)], [at(2), at(2)])).toEqual([])
    expect(find('any', [at(0), at(0)], [at(1), at(2)])).toEqual([])
  })
})

describe('the expiry of a URL', () => {
  it('may differ between responses, unless it precedes the responses themselves', () => {
    const respond = (expiresAt: string) => ({
      status: 200,
      headers: { date: new Date(at(0)).toUTCString(), 'cache-control': 'no-store' },
      body: { kind: 'json' as const, value: { url: 'https://media.example/a', expiresAt } },
    })
    const find = (native: string, core: string) =>
      findDifferences(
        contracts['tracks.playback-url.issue'],
        respond(native),
        respond(core),
        true,
        true,
        'equal',
      ).map(({ location }) => location.path)
    expect(find(at(5), at(6))).toEqual([])
    expect(find(at(65), at(66))).toEqual([])
    expect(find(at(-5), at(-6))).toEqual(['body.expiresAt'])
  })
})

describe('the end of a share link', () => {
  it('must be equal if both sides read the same link, however far ahead it is', () => {
    const respond = (expiresAt: string) => ({
      status: 200,
      headers: { date: new Date(at(0)).toUTCString(), 'cache-control': 'no-store' },
      body: {
        kind: 'json' as const,
        value: { link: { name: null, status: 'active', expiresAt, createdAt: at(-60) } },
      },
    })
    const contract = contracts['public.track-links.detail']
    const find = (times: TimeComparison) =>
      findDifferences(contract, respond(at(6000.001)), respond(at(6000)), true, true, times).map(
        ({ location }) => location.path,
      )
    expect(find('equal')).toEqual(['body.link.expiresAt'])
    expect(find('live')).toEqual(['body.link.expiresAt'])
    expect(find('near')).toEqual([])
  })
})
