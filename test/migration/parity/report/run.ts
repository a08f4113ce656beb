import { type ParityRun, toComparison } from '#migration/parity/report/parity-run.ts'
import { compare, recordedResponse } from '../../responses.ts'

const moment = '2026-11-20T10:00:00.000Z'

const libraryAt = (status: number, fields: object = {}) =>
  recordedResponse(status, {
    id: 'l1',
    name: 'Demos',
    description: null,
    createdAt: moment,
    updatedAt: moment,
    trackCount: 1,
    shareCount: 0,
    ...fields,
  })
const library = (fields: object = {}) => libraryAt(200, fields)

const invalidInput = (error: string) => recordedResponse(400, { error, issues: [] })
const notFound = recordedResponse(404, { error: 'library_not_found' })
const emptyList = recordedResponse(200, { records: [] })

const link = {
  id: 'k1',
  trackId: 't1',
  name: null,
  status: 'active',
  tokenPreview: 'AAAA',
  createdAt: moment,
  updatedAt: moment,
}

export const detail = {
  same: toComparison('is equal', compare('libraries.detail', library(), library())),
  absent: toComparison('another owner <script>', compare('libraries.detail', notFound, notFound)),
  counted: toComparison(
    'counts <script>',
    compare('libraries.detail', library({ trackCount: 2 }), library()),
  ),
  recounted: toComparison('counts again', compare('libraries.detail', library({ trackCount: 3 }), library())),
  leaking: toComparison('leaks', compare('libraries.detail', library({ ownerId: 'acct_owner' }), library())),
  drifting: toComparison('drifts', compare('libraries.detail', library(), library({ trackCount: '1' }))),
  silent: toComparison('hangs', compare('libraries.detail', { failure: 'timeout' }, library())),
  odd: toComparison(
    'returns 418',
    compare('libraries.detail', library(), recordedResponse(418, { error: 'teapot' })),
  ),
}

export const created = toComparison(
  'creates one',
  compare('libraries.create', libraryAt(201), libraryAt(201)),
)

export const invalidNameComparison = toComparison(
  'no name',
  compare('libraries.create', invalidInput('validation_error'), invalidInput('validation_failed')),
)

export const emptyReviewLinks = toComparison(
  'has links',
  compare('tracks.split-sheet.share-links.list', emptyList, recordedResponse(200, { records: [link] })),
)

const rows: Readonly<Record<string, ParityRun['rows'][number]>> = {
  'libraries.detail': {
    label: 'libraries.detail',
    method: 'GET',
    path: '/v1/libraries/:libraryId',
    statuses: [200, 401, 404],
    evidenceKey: '0f'.repeat(16),
    unseenShapes: [],
  },
  'libraries.create': {
    label: 'libraries.create',
    method: 'POST',
    path: '/v1/libraries',
    statuses: [201, 400, 401, 409],
    evidenceKey: '1f'.repeat(16),
    unseenShapes: [],
  },
  'tracks.split-sheet.share-links.list': {
    label: 'tracks.split-sheet.share-links.list',
    method: 'GET',
    path: '/v1/tracks/:trackId/split-sheet/share-links',
    statuses: [200],
    evidenceKey: null,
    unseenShapes: [],
  },
}

export const createRun = (
  labels: readonly (keyof typeof rows & string)[],
  comparisons: ParityRun['comparisons'],
): ParityRun => ({
  startedAt: '2026-11-20T10:00:00.000Z',
  finishedAt: '2026-11-20T10:01:00.000Z',
  native: 'build 1',
  core: 'https://core.example.com',
  rows: labels.flatMap((label) => rows[label] ?? []),
  commit: null,
  comparisons,
  requests: [],
  responses: [],
  warnings: [],
})
