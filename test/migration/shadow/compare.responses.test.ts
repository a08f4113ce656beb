import { describe, expect, it } from 'vitest'
import { zocker } from 'zocker'
import { codesOfCore, type ErrorCode, errorRowOf } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { labels } from '#contracts/shared/row.ts'
import {
  isReplacedByCore,
  listErrorCodes,
  listErrorHeaders,
  listErrorStatuses,
} from '#gateway/openapi/route-errors.ts'
import type { AcceptedDifference } from '#migration/diff/accepted.ts'
import { isShadowable } from '#migration/model/route-scope.ts'
import { acceptedDifferences } from '#migration/parity/accepted-differences.ts'
import type { ComparisonResult } from '#migration/shadow/comparison-tasks.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { copied, openComparer, shadowedRequest } from './comparer-fixtures.ts'

const compared = labels.filter(isShadowable)

interface Pair {
  readonly label: Label
  readonly status: number
  readonly native: unknown
  readonly core: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const headersWith = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '1']))

const successesOf = (label: Label): readonly Pair[] => {
  const contract: Contract = contracts[label]
  return Object.entries(contract.responses).map(([status, schema]) => {
    const body = schema ? schema.parse(zocker(schema).setSeed(1).generate()) : ''
    const headers = headersWith(Object.keys(contract.headers?.[Number(status)] ?? {}))
    return { label, status: Number(status), native: body, core: body, headers }
  })
}

const fieldsOf: { readonly [C in ErrorCode]?: object } = {
  validation_error: { issues: [{ path: 'name', message: 'name must not be empty.' }] },
  entitlement_required: {
    code: 'entitlement_required',
    feature: 'tracks.share',
    current: 2,
    limit: 2,
    planId: 'starter',
    status: 'active',
    upgradeRequired: true,
  },
  quota_exceeded: { quota: 'libraries', limit: 500 },
  native_route_not_implemented: { path: '/v1/tracks/019a2c41/notes' },
  billing_bad_input: { reason: 'already_subscribed' },
  split_sheet_structural_validation_failed: {
    issues: [
      {
        path: 'writers',
        code: 'writers_total_mismatch',
        message: 'the percentages total 90',
        expected: 100,
        actual: 90,
      },
    ],
  },
}

const errorExampleOf = (code: ErrorCode) => ({
  error: code,
  message: errorRowOf(code).message,
  ...fieldsOf[code],
})

const asCore = (code: ErrorCode, error: object) => {
  const fields = Object.entries(error).filter(([name]) => name !== 'message')
  return { ...Object.fromEntries(fields), error: isReplacedByCore(code) ? codesOfCore[code] : code }
}

const errorsOf = (label: Label) =>
  listErrorCodes(label).flatMap((code) =>
    listErrorStatuses(label, code).map((status) => {
      const native = errorExampleOf(code)
      return {
        label,
        status,
        native,
        core: asCore(code, native),
        headers: headersWith(listErrorHeaders([code])),
      }
    }),
  )

const succeed = (label: Label) => {
  const [first] = successesOf(label)
  if (!first) throw new Error(`${label} documents no success`)
  return first
}

const pairOf = ({ label, path, kind, match = {} }: AcceptedDifference): Pair => {
  const field = path.replace('body.', '')
  if (label === '*') {
    const native = { error: 'library_not_found', [field]: match.native ?? 'added' }
    const core = { error: match.core ?? 'library_not_found' }
    return { label: 'libraries.detail', status: 404, native, core }
  }
  const success = succeed(label)
  const native = { ...Object(success.native), [field]: kind === 'length' ? [] : 1 }
  return { ...success, native, core: kind === 'length' ? { [field]: [{ id: 'link' }] } : success.core }
}

describe('a live comparison in the child process', { timeout: 60_000 }, () => {
  const gateway = startTestGateway({})
  const handlersModule = new URL('./handlers-on-expiry.mjs', import.meta.url)
  const { compare, log, pid } = openComparer(gateway, { handlersModule })
  const comparePair = ({ label, status, native, core, headers }: Pair): Promise<ComparisonResult> =>
    compare({
      kind: 'compare',
      label,
      request: shadowedRequest('/v1/any'),
      native: copied(status, native, { 'cache-control': 'no-store', ...headers }),
      core: copied(status, core, headers),
    })

  it.each(compared)('has a result for every documented status of %s', async (label) => {
    const errors = errorsOf(label)
    const withMessage = errors.map((pair) => ({
      ...pair,
      core: { ...pair.core, message: pair.native.message },
    }))
    for (const pair of [...successesOf(label), ...errors, ...withMessage]) {
      const result = await comparePair(pair)
      expect(result.kind, `${pair.status} ${JSON.stringify(pair.native)}`).not.toBe('dropped')
      if (result.kind === 'compared') expect(['equal', 'accepted', 'not_comparable']).toContain(result.class)
    }
    const messages = await Promise.all(errors.map(comparePair))
    const isMessageAccepted = messages.some(
      (result) => 'differences' in result && result.differences.some(({ path }) => path === 'body.message'),
    )
    expect(isMessageAccepted).toBe(true)
    expect(log.lines).toEqual([])
  })

  // Live traffic belongs to no scenario, so differences accepted only in some scenarios do not apply to it.
  const acceptedAnywhere = acceptedDifferences.filter(({ scenarios }) => scenarios === undefined)

  it.each(acceptedAnywhere)('reports the accepted $kind at $path of $label', async (entry) => {
    const result = await comparePair(pairOf(entry))
    expect(result.kind).toBe('compared')
    const differences = 'differences' in result ? result.differences : []
    const found = differences.find(({ path, kind }) => path === entry.path && kind === entry.kind)
    expect(found).toMatchObject({ class: 'accepted', reason: entry.reason, expires: entry.expires })
  })

  it.each([
    ['objects', (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`],
    ['arrays', (levels: number) => '['.repeat(levels) + ']'.repeat(levels)],
  ])('continues after bodies with 10,000 nested %s', async (_, nest) => {
    const before = pid()
    const success = succeed('libraries.detail')
    const body = success.native
    for (const levels of [100, 10_000, 100_000]) {
      const deep = nest(levels)
      const inField = JSON.stringify({ ...Object(body), description: 'deep' }).replace('"deep"', deep)
      for (const [native, core] of [
        [body, deep],
        [body, inField],
        [deep, body],
        [deep, deep],
        [inField, inField],
      ])
        expect((await comparePair({ ...success, native, core })).kind).toBe('compared')
    }
    expect(pid()).toBe(before)
    expect(log.lines).toEqual([])
  })

  it('shortens long values of headers that are shown', async () => {
    const success = succeed('libraries.detail')
    const repeated = Array.from({ length: 200 }, () => 'no-cache').join(', ')
    const result = await compare({
      kind: 'compare',
      label: success.label,
      request: shadowedRequest('/v1/any'),
      native: copied(200, success.native, { 'cache-control': repeated }),
      core: copied(200, success.core),
    })
    const differences = 'differences' in result ? result.differences : []
    expect(differences.map(({ path }) => path)).toEqual(['headers.cache-control'])
    expect(differences[0]?.example.native).toHaveLength(400)
  })

  it('does not compare a body with more values than it can compare in time', async () => {
    const { core, ...success } = succeed('tracks.tags.detail')
    for (const [value, count] of [
      ['{}', 10_001],
      ['[]', 10_001],
      ['0', 100_001],
    ] as const) {
      const wide = `[${value}${`,${value}`.repeat(count)}]`
      const tags = JSON.stringify({ ...Object(core), tags: 'wide' }).replace('"wide"', wide)
      for (const [ours, theirs] of [
        [core, wide],
        [core, tags],
        [tags, core],
      ])
        expect(await comparePair({ ...success, native: ours, core: theirs })).toEqual({
          kind: 'not_comparable',
          reason: 'body_too_long',
        })
    }
    expect(log.lines).toEqual([])
  })
})
