import { changeField, createFaults, type Json, type SeededFault, setFields, setStatus } from './fault.ts'

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
  changeField<string>('signedUrl', (value) => {
    const url = new URL(value)
    change(url)
    return url.href
  })

const wrongUrl = 'format at body.signedUrl, regression'

export const trackFileFaults: readonly SeededFault[] = [
  ...createFaults({ on: 'native', ...createsUpload }, [
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
    ['a storage location', setFields({ signedUrl: 's3://media/1' }), 'format at body.signedUrl, critical'],
    ['a storage key', setFields({ storageKey: 'tracks/1/2' }), 'extra at body.?, critical'],
    [
      'empty required headers',
      setFields({ requiredHeaders: {} }),
      'missing at body.requiredHeaders.?, regression',
    ],
  ]),
  ...createFaults({ on: 'core', ...createsUpload }, [
    ['another method', setFields({ method: 'POST' }), 'value at body.method, not_comparable'],
    [
      'a path instead of a URL',
      setFields({ signedUrl: '/upload/1' }),
      'format at body.signedUrl, not_comparable',
    ],
    ['another success status', setStatus(200), 'status at status, not_comparable'],
  ]),

  ...createFaults({ on: 'native', ...readsNewTrack }, [
    [
      'a lane that is ready too early',
      changeField<Json>('readiness', ({ tags, ...lanes }) => ({
        ...lanes,
        tags: { ...(tags as Json), ready: true },
      })),
      'value at body.readiness.tags.ready, regression',
    ],
    ['null for an absent field', setFields({ ingestionRun: null }), 'extra at body.ingestionRun, regression'],
  ]),
  ...createFaults({ on: 'core', ...readsNewTrack }, [
    [
      'a missing lane',
      changeField<Json>('readiness', ({ tags: _, ...lanes }) => lanes),
      'extra at body.readiness.tags, accepted',
    ],
    ['null instead of empty stages', setFields({ stages: null }), 'type at body.stages, not_comparable'],
  ]),
  ...createFaults({ on: 'core', ...promotesUnknownVersion }, [
    [
      'the error code of another status',
      setFields({ error: 'version_not_ready' }),
      'value at body.error, not_comparable',
    ],
  ]),
]
