import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { createMask } from '#migration/diff/mask.ts'
import { formatCurl } from '#migration/parity/report/parity-comparisons.ts'
import { createAccount } from '#migration/parity/run/account.ts'
import type { Pair } from '#migration/parity/run/pairs.ts'
import { createRecorder, maskRequest } from '#migration/parity/run/recorder.ts'
import { recordedResponse } from '../../responses.ts'

const shareToken = 'Qm9vbGVhbi1zaGFyZS10b2tlbi1vZi1hLXRlc3QtNDM'
const signedUrl = `https://store.example/bucket/a.wav?X-Amz-Signature=${'ab'.repeat(32)}`
const moment = '2026-11-20T10:00:00.000Z'

const account = createAccount(
  { accountId: 'acct_7', email: 'ann@example.test', token: 'token.of.account' },
  { side: 'native', send: async () => ({ failure: 'unreachable' }), createNonce: () => '' },
)

const record = (label: Label, native: Pair['native'], core: Pair['core'] = native, request = {}) => {
  const { record: recordPair, recordings } = createRecorder(createMask('test key'))
  const recording = recordPair({ label, scenario: 'a scenario', request, native, core })
  return { recording, recordings, text: recordings.responses.join('\n') }
}

describe('the recording of a pair', () => {
  it('shows no share tokens, signed URLs, ids or names', () => {
    const created = recordedResponse(201, {
      id: 'link_42',
      trackId: 'track_42',
      name: 'For Sam',
      status: 'active',
      token: shareToken,
      tokenPreview: shareToken.slice(-4),
      sharePath: `/share/tracks/${shareToken}`,
      createdAt: moment,
      updatedAt: moment,
    })
    const { text } = record('tracks.share-links.create', created)
    for (const secret of [shareToken, 'link_42', 'track_42', 'For Sam', moment])
      expect(text).not.toContain(secret)
    expect(text).toContain('"status": "active"')
    expect(text).toContain('"id": "<id>"')

    const issued = recordedResponse(200, { url: signedUrl, expiresAt: moment })
    expect(record('public.track-links.playback-url.issue', issued).text).toContain('"url": "<signed URL>"')
  })

  it('hides the names and values of fields that the contract does not declare', () => {
    const { text } = record(
      'libraries.list',
      recordedResponse(200, { records: [], ann: { secret: shareToken } }),
    )
    expect(text).not.toContain('ann')
    expect(text).not.toContain(shareToken)
    expect(text).toMatch(/"\?1": \{\n {4}"\?1": "string #[0-9a-f]{10}"/)
  })

  it('shows error codes, the harmless part of compared headers, and missing responses', () => {
    const limited = recordedResponse(
      429,
      { error: 'rate_limited' },
      { 'retry-after': '17', 'set-cookie': 'a=b' },
    )
    const { text } = record('libraries.list', limited, { failure: 'timeout' })
    expect(text).toContain(
      'HTTP 429\ncontent-type: application/json\ncache-control: no-store\nretry-after: present',
    )
    expect(text).toContain('"error": "rate_limited"')
    expect(text).not.toContain('a=b')
    expect(text).toContain('no response: timeout')
  })

  it('stores equal responses once, with the duration of each', () => {
    const empty = recordedResponse(200, { records: [] })
    const { recording, recordings } = record(
      'libraries.list',
      { ...empty, durationMs: 3 },
      { ...empty, durationMs: 5 },
    )
    expect(recordings.responses).toHaveLength(1)
    expect([recording.native, recording.core]).toEqual([
      { response: 0, durationMs: 3 },
      { response: 0, durationMs: 5 },
    ])
  })

  it('shows only the first elements of a long list', () => {
    const records = Array.from({ length: 8 }, () => ({ id: 'l1', name: 'x' }))
    const { text } = record('libraries.list', recordedResponse(200, { records }))
    expect(text.match(/"id": "<id>"/g)).toHaveLength(5)
    expect(text).toContain('"<3 more>"')
  })
})

describe('a masked request', () => {
  it('contains no token, id, e-mail address, access code or URL', () => {
    const request = maskRequest('packs.links.create', {
      as: account,
      params: { packId: 'pack_9' },
      query: { accessCode: 'lighthouse', limit: '5', cursor: 'abc' },
      headers: { 'If-None-Match': '"v1"' },
      body: {
        accessCode: 'lighthouse',
        name: 'for ann@example.test',
        trackIds: ['track_1'],
        url: signedUrl,
        note: shareToken,
        disableDownloads: true,
      },
    })
    expect(request).toEqual({
      method: 'POST',
      path: '/v1/packs/:packId/links?accessCode=<accessCode>&limit=5&cursor=<cursor>',
      headers: {
        authorization: 'Bearer <token>',
        'content-type': 'application/json',
        'if-none-match': '<if-none-match>',
      },
      body: '{"accessCode":"<accessCode>","name":"for <e-mail>","trackIds":["<trackIds>"],"url":"<URL>","note":"<value>","disableDownloads":true}',
    })
  })

  it('can be repeated with curl', () => {
    const request = maskRequest('libraries.update', {
      as: account,
      params: { libraryId: 'library_1' },
      query: { q: 'a "b" $c' },
      body: { name: "Ann's" },
    })
    expect(formatCurl(request)).toBe(
      'curl -i -X PATCH "$BASE/v1/libraries/$LIBRARY_ID?q=a%20%22b%22%20%24c" -H "Authorization: Bearer $TOKEN"' +
        ` -H 'content-type: application/json' --data-raw '{"name":"Ann'\\''s"}'`,
    )
  })
})

describe('a recorder', () => {
  const list = (records: readonly object[]) => recordedResponse(200, { records })
  const library = { id: 'lib_1', name: 'Demos', description: null }

  const unseenAfter = (...pairs: readonly (readonly [Pair['native'], Pair['core'], object?])[]) => {
    const recorder = createRecorder(createMask('test key'))
    for (const [native, core, request = {}] of pairs)
      recorder.record({ label: 'libraries.list', scenario: 'a scenario', request, native, core })
    return recorder.listUnseenShapes('libraries.list')
  }

  it('lists every shape in the contract as unseen before the first comparison', () => {
    expect(unseenAfter()).toEqual(
      expect.arrayContaining(['query limit', 'body.records empty', 'body.records one', 'body.records many']),
    )
  })

  it('no longer lists a shape once both sides have returned it, or a parameter once it was sent', () => {
    const unseen = unseenAfter([list([library]), list([library]), { query: { limit: '1' } }])
    expect(unseen).not.toContain('body.records one')
    expect(unseen).not.toContain('body.records.*.description null')
    expect(unseen).not.toContain('query limit')
    expect(unseen).toContain('body.records many')
    expect(unseen).toContain('query cursor')
  })

  it('still lists a shape as unseen if only one side returned it', () => {
    expect(unseenAfter([list([]), recordedResponse(500, { error: 'internal_error' })])).toContain(
      'body.records empty',
    )
  })
})
