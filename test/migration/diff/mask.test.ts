import { describe, expect, it } from 'vitest'
import { createMask } from '#migration/diff/mask.ts'
import { compare, recordedResponse } from '../responses.ts'

const secret = 'Xq7-secret-value'
const moment = '2026-11-20T10:00:00.000Z'

const throughJson = (value: object): object => JSON.parse(JSON.stringify(value))

const share = (fields: object) =>
  recordedResponse(
    201,
    throughJson({
      id: 's1',
      libraryId: 'l1',
      targetUserId: null,
      email: 'guest@example.com',
      accessType: 'viewer',
      inviteStatus: 'pending',
      createdAt: moment,
      updatedAt: moment,
      respondedAt: null,
      revokedAt: null,
      ...fields,
    }),
  )

const compareExample = (fields: object, mask = createMask('key')) =>
  compare('libraries.shares.create', share(fields), share({}), { mask }).differences[0]?.example

describe('the example of a difference', () => {
  it('shows enum values, nulls and missing values', () => {
    expect(compareExample({ accessType: 'editor' })).toEqual({
      path: 'body.accessType',
      native: '"editor"',
      core: '"viewer"',
    })
    expect(compareExample({ email: null })).toMatchObject({ native: 'null' })
    expect(compareExample({ email: undefined })).toMatchObject({ native: null })
  })

  it.each([
    ['free text', { email: secret }],
    ['an unknown enum value', { accessType: secret }],
    ['an invalid timestamp', { createdAt: secret }],
    ['an invalid id', { id: `${secret} ` }],
    ['an undeclared field', { note: secret }],
    ['the name of an undeclared field', { [`key_${secret}`]: 1 }],
    ['a name in an undeclared field', { note: { [`key_${secret}`]: 1 } }],
    ['the name of a leak', { [`token_${secret}`]: 'x' }],
    ['a value nested in an undeclared field', { note: { deep: [secret] } }],
    ['a leak', { ownerId: secret, storageUri: `s3://${secret}` }],
    ['a value of a different type', { id: [secret] }],
  ])('never shows %s', (_, fields) => {
    const verdict = compare('libraries.shares.create', share(fields), share({}))
    expect(verdict.class).not.toBe('equal')
    expect(JSON.stringify(verdict)).not.toContain(secret)
  })

  it("never shows a record's keys, whether a value differs or violates the contract", () => {
    const upload = (requiredHeaders: object) => recordedResponse(201, { requiredHeaders })
    const key = secret.toLowerCase()
    for (const [ours, theirs] of [
      [
        { [key]: 'a', b: 'c' },
        { [key]: 'c', b: 'a' },
      ],
      [{ [key]: 1 }, { [key]: 1 }],
      [{ [secret]: 'a' }, {}],
    ] as const) {
      const verdict = compare('tracks.versions.upload', upload(ours), upload(theirs))
      expect(verdict.differences.map(({ path }) => path)).toContain('body.requiredHeaders.?')
      expect(JSON.stringify(verdict).toLowerCase()).not.toContain(key)
    }
  })

  it('shows only error codes from the contract', () => {
    const failed = (error: string) => recordedResponse(404, { error })
    const [known, unknown] = ['track_not_found', 'a_secret_code'].map(
      (code) =>
        compare('libraries.detail', failed(code), failed('library_not_found')).differences[0]?.example,
    )
    expect(known).toMatchObject({ native: '"track_not_found"', core: '"library_not_found"' })
    expect(unknown?.native).toMatch(/^string #/)
  })

  it.each([
    ['content-type', 'text/html; charset=utf-8', '"text/html"'],
    ['content-type', 'text/a-secret', null],
    ['allow', 'get, POST', '"GET, POST"'],
    ['allow', 'SECRET', null],
    ['allow', 'GET, ', '"GET"'],
    ['cache-control', 'private, max-age=60', '"private, max-age=60"'],
    ['cache-control', 'private, a-secret', null],
    ['retry-after', '17', '"present"'],
    ['location', '/v1/a-secret', null],
    ['x-service-core-runtime', 'proxy', '"proxy"'],
  ])('shows the header "%s: %s" only if the value is known', (name, value, shown) => {
    const native = recordedResponse(200, { records: [] }, { [name]: value })
    const { differences } = compare('libraries.list', native, recordedResponse(200, { records: [] }))
    const example = differences.find(({ path }) => path === `headers.${name}`)?.example.native
    if (shown === null) expect(example).toMatch(/^string #/)
    else expect(example).toBe(shown)
  })

  it('gives equal values the same mask, which depends on the key', () => {
    const [first, again, other] = [
      compareExample({ email: secret }),
      compareExample({ email: secret }),
      compareExample({ email: 'x' }),
    ]
    expect(first).toEqual(again)
    expect(first?.native).toMatch(/^string #[0-9a-f]{10}$/)
    expect(first?.native).not.toBe(other?.native)
    expect(first?.native).not.toBe(compareExample({ email: secret }, createMask('another key'))?.native)
  })

  it('has the path of the first place where the difference was counted', () => {
    const listed = (email: string) =>
      recordedResponse(200, {
        records: [share({}), share({})].map(({ body }) => ({
          ...(body.kind === 'json' ? Object(body.value) : {}),
          email,
        })),
      })
    expect(compare('libraries.shares.list', listed('a'), listed('b')).differences).toMatchObject([
      { path: 'body.records.*.email', count: 2, example: { path: 'body.records.0.email' } },
    ])
  })

  it('has the same signature in every run, and a different one for each route', () => {
    const signature = (label: 'libraries.detail' | 'packs.detail') =>
      compare(label, recordedResponse(200, {}), recordedResponse(404, { error: 'x' })).differences[0]
        ?.signature
    expect(signature('libraries.detail')).toBe(signature('libraries.detail'))
    expect(signature('libraries.detail')).not.toBe(signature('packs.detail'))
    expect(signature('libraries.detail')).toMatch(/^[0-9a-f]{16}$/)
  })
})
