import { type Fault, faultsIn, fields, type Json, setStatus, within } from './fault.ts'

const createsUpload = { label: 'tracks.versions.upload', status: 201, scenario: 'accepts audio/wav' } as const
const readsNewTrack = {
  label: 'tracks.processing.status',
  status: 200,
  scenario: 'returns a track without files',
} as const
const promotesUnknownVersion = {
  label: 'tracks.versions.promote',
  status: 404,
  scenario: 'does not find version "no id"',
} as const

const changeUrl = (change: (url: URL) => void) =>
  within<string>('signedUrl', (value) => {
    const url = new URL(value)
    change(url)
    return url.href
  })

const wrongUrl = 'format at body.signedUrl, regression'

export const trackFileFaults: readonly Fault[] = [
  ...faultsIn({ on: 'native', ...createsUpload }, [
    [
      'a URL with another path',
      changeUrl((url) => {
        url.pathname = `/private${url.pathname}`
      }),
      wrongUrl,
    ],
    [
      'a URL with a host name',
      changeUrl((url) => {
        url.hostname = 'store.example.test'
      }),
      wrongUrl,
    ],
    ['a URL without a signature', changeUrl((url) => url.searchParams.delete('X-Amz-Signature')), wrongUrl],
    ['a storage location', fields({ signedUrl: 's3://media/1' }), 'format at body.signedUrl, critical'],
    ['a storage key', fields({ storageKey: 'tracks/1/2' }), 'extra at body.storageKey, critical'],
    [
      'empty required headers',
      fields({ requiredHeaders: {} }),
      'missing at body.requiredHeaders.content-type, regression',
    ],
  ]),
  ...faultsIn({ on: 'core', ...createsUpload }, [
    ['another method', fields({ method: 'POST' }), 'value at body.method, not_comparable'],
    [
      'a path instead of a URL',
      fields({ signedUrl: '/upload/1' }),
      'format at body.signedUrl, not_comparable',
    ],
    ['another success status', setStatus(200), 'status at status, not_comparable'],
  ]),

  ...faultsIn({ on: 'native', ...readsNewTrack }, [
    [
      'a lane that is ready too early',
      within<Json>('readiness', ({ tags, ...lanes }) => ({
        ...lanes,
        tags: { ...(tags as Json), ready: true },
      })),
      'value at body.readiness.tags.ready, regression',
    ],
    ['null for an absent field', fields({ ingestionRun: null }), 'extra at body.ingestionRun, regression'],
  ]),
  ...faultsIn({ on: 'core', ...readsNewTrack }, [
    [
      'a missing lane',
      within<Json>('readiness', ({ tags: _, ...lanes }) => lanes),
      'extra at body.readiness.tags, accepted',
    ],
    ['null instead of empty stages', fields({ stages: null }), 'type at body.stages, not_comparable'],
  ]),
  ...faultsIn({ on: 'core', ...promotesUnknownVersion }, [
    [
      'the error code of another status',
      fields({ error: 'version_not_ready' }),
      'value at body.error, not_comparable',
    ],
  ]),
]
