import { type Fault, faultsIn, fields, type Json, status, within } from './fault.ts'

const announces = { label: 'tracks.versions.upload', status: 201, scenario: 'accepts audio/wav' } as const
const notBegun = {
  label: 'tracks.processing.status',
  status: 200,
  scenario: 'returns a track without files',
} as const
const unknownVersion = {
  label: 'tracks.versions.promote',
  status: 404,
  scenario: 'does not find version "no id"',
} as const

const address = (change: (url: URL) => void) =>
  within<string>('signedUrl', (value) => {
    const url = new URL(value)
    change(url)
    return url.href
  })

const elsewhere = 'format at body.signedUrl, regression'

export const trackFileFaults: readonly Fault[] = [
  ...faultsIn({ on: 'native', ...announces }, [
    [
      'an address with another path',
      address((url) => {
        url.pathname = `/private${url.pathname}`
      }),
      elsewhere,
    ],
    [
      'an address at a name',
      address((url) => {
        url.hostname = 'store.example.test'
      }),
      elsewhere,
    ],
    [
      'an address without its signature',
      address((url) => url.searchParams.delete('X-Amz-Signature')),
      elsewhere,
    ],
    [
      'an address within the store',
      fields({ signedUrl: 's3://media/1' }),
      'format at body.signedUrl, critical',
    ],
    ['a key of the store', fields({ storageKey: 'tracks/1/2' }), 'extra at body.storageKey, critical'],
    [
      'no header to send',
      fields({ requiredHeaders: {} }),
      'missing at body.requiredHeaders.content-type, regression',
    ],
  ]),
  ...faultsIn({ on: 'core', ...announces }, [
    ['another method', fields({ method: 'POST' }), 'value at body.method, not_comparable'],
    ['a path for an address', fields({ signedUrl: '/upload/1' }), 'format at body.signedUrl, not_comparable'],
    ['another status of success', status(200), 'status at status, not_comparable'],
  ]),

  ...faultsIn({ on: 'native', ...notBegun }, [
    [
      'a lane that is ready too early',
      within<Json>('readiness', ({ tags, ...lanes }) => ({
        ...lanes,
        tags: { ...(tags as Json), ready: true },
      })),
      'value at body.readiness.tags.ready, regression',
    ],
    ['null for what is left out', fields({ ingestionRun: null }), 'extra at body.ingestionRun, regression'],
  ]),
  ...faultsIn({ on: 'core', ...notBegun }, [
    [
      'a lane that is missing',
      within<Json>('readiness', ({ tags: _, ...lanes }) => lanes),
      'extra at body.readiness.tags, accepted',
    ],
    ['null for no stages', fields({ stages: null }), 'type at body.stages, not_comparable'],
  ]),
  ...faultsIn({ on: 'core', ...unknownVersion }, [
    [
      'a word of another status',
      fields({ error: 'version_not_ready' }),
      'value at body.error, not_comparable',
    ],
  ]),
]
