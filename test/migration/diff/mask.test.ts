import { describe, expect, it } from 'vitest'
import { createMask } from '#migration/diff/mask.ts'
import { answer, compare } from '../answers.ts'

const secret = 'Xq7-secret-value'
const moment = '2026-11-20T10:00:00.000Z'

const asSent = (value: object): object => JSON.parse(JSON.stringify(value))

const share = (fields: object) =>
  answer(
    201,
    asSent({
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

const exampleOf = (fields: object, mask = createMask('key')) =>
  compare('libraries.shares.create', share(fields), share({}), { mask }).differences[0]?.example

describe('an example of a difference', () => {
  it('shows words of the contract, numbers and nothing', () => {
    expect(exampleOf({ accessType: 'editor' })).toEqual({
      path: 'body.accessType',
      native: '"editor"',
      core: '"viewer"',
    })
    expect(exampleOf({ email: null })).toMatchObject({ native: 'null' })
    expect(exampleOf({ email: undefined })).toMatchObject({ native: null })
  })

  it.each([
    ['text', { email: secret }],
    ['a word the contract does not know', { accessType: secret }],
    ['what is no moment', { createdAt: secret }],
    ['what is no id', { id: `${secret} ` }],
    ['a field the contract does not name', { note: secret }],
    ['a name the contract does not name', { [`${secret}-${secret}-${secret}`]: 1 }],
    ['what lies within it', { note: { deep: [secret] } }],
    ['a leak', { ownerId: secret, storageUri: `s3://${secret}` }],
    ['another body', { id: [secret] }],
  ])('never shows %s', (_, fields) => {
    const verdict = compare('libraries.shares.create', share(fields), share({}))
    expect(verdict.class).not.toBe('equal')
    expect(JSON.stringify(verdict)).not.toContain(secret)
  })

  it('lets equal values be told from others by the holder of the key alone', () => {
    const [first, again, other] = [
      exampleOf({ email: secret }),
      exampleOf({ email: secret }),
      exampleOf({ email: 'x' }),
    ]
    expect(first).toEqual(again)
    expect(first?.native).toMatch(/^string #[0-9a-f]{10}$/)
    expect(first?.native).not.toBe(other?.native)
    expect(first?.native).not.toBe(exampleOf({ email: secret }, createMask('another key'))?.native)
  })

  it('names one of the places that are counted', () => {
    const listed = (email: string) =>
      answer(200, {
        records: [share({}), share({})].map(({ body }) => ({
          ...(body.kind === 'json' ? Object(body.value) : {}),
          email,
        })),
      })
    expect(compare('libraries.shares.list', listed('a'), listed('b')).differences).toMatchObject([
      { path: 'body.records.*.email', count: 2, example: { path: 'body.records.0.email' } },
    ])
  })

  it('has one signature in every run, and another on every route', () => {
    const signature = (label: 'libraries.detail' | 'packs.detail') =>
      compare(label, answer(200, {}), answer(404, { error: 'x' })).differences[0]?.signature
    expect(signature('libraries.detail')).toBe(signature('libraries.detail'))
    expect(signature('libraries.detail')).not.toBe(signature('packs.detail'))
    expect(signature('libraries.detail')).toMatch(/^[0-9a-f]{16}$/)
  })
})
