import type { Label } from '#contracts/route-table.ts'

export interface Preparation {
  /** The names that the scenario imports, by file in `test/scenarios`. */
  readonly imports: Readonly<Record<string, readonly string[]>>
  readonly steps: readonly string[]
  readonly request: string
}

type Preparations = { readonly [L in Label]?: Preparation }

const packPage: Preparation = {
  imports: { './fixtures/pack-links.ts': ['createPackLink'] },
  steps: ['const { slug } = await createPackLink(context)'],
  request: '{ params: { slug } }',
}

const packFile: Preparation = {
  imports: { './fixtures/pack-links.ts': ['createPackLink', 'packLinkParamsOf'] },
  steps: ['const link = await createPackLink(context)'],
  request: '{ params: packLinkParamsOf(link) }',
}

const trackPage: Preparation = {
  imports: {
    './fixtures/recordings.ts': ['getRecording'],
    './fixtures/share-links.ts': ['createShareLink'],
  },
  steps: [
    'const { owner, trackId } = await getRecording(context)',
    'const { token } = await createShareLink(owner, trackId)',
  ],
  request: '{ params: { token } }',
}

const linkPreparations: Preparations = {
  'pack-links.detail': packPage,
  'pack-links.presentation': packPage,
  'pack-links.playback-url.issue': packFile,
  'pack-links.download-url.issue': packFile,
  'public.pack-links.detail': packPage,
  'public.pack-links.playback-url.issue': packFile,
  'public.pack-links.download-url.issue': packFile,
  'public.track-links.detail': trackPage,
  'public.track-links.playback-url.issue': trackPage,
  'public.split-sheets.detail': {
    imports: { './fixtures/split-sheet-links.ts': ['createReviewLink'] },
    steps: ['const { token } = await createReviewLink(context)'],
    request: '{ params: { token } }',
  },
}

const fullTrack: Preparation = {
  imports: { './fixtures/tracks.ts': ['getFullTrack'] },
  steps: ['const { owner, params } = await getFullTrack(context)'],
  request: '{ as: owner, params }',
}

const splitSheet: Preparation = {
  imports: {
    './fixtures/split-sheets.ts': ['balancedSheet'],
    './fixtures/tracks.ts': ['createOwnedTrack'],
  },
  steps: [
    'const { owner, params } = await createOwnedTrack(context)',
    "await owner.call('tracks.split-sheet.replace', { params, body: balancedSheet })",
  ],
  request: '{ as: owner, params }',
}

const sharedLibrary: Preparation = {
  imports: { './fixtures/libraries.ts': ['createAcceptedShare', 'createTrack'] },
  steps: [
    'const { owner, library } = await createAcceptedShare(context)',
    'const params = { libraryId: library.id }',
    'const { id: trackId } = await createTrack(owner)',
    "await owner.call('libraries.tracks.add', { params, body: { trackId } })",
  ],
  request: '{ as: owner, params }',
}

const packOfTracks: Preparation = {
  imports: { './fixtures/packs.ts': ['createPackOfTracks'] },
  steps: ['const { owner, params } = await createPackOfTracks(context, 2)'],
  request: '{ as: owner, params }',
}

/**
 * What a scenario prepares for a successful GET: the resource to read, with every part that the response can contain.
 */
export const preparations: Preparations = {
  'billing.status': {
    imports: { './fixtures/billing.ts': ['createSubscriber'] },
    steps: ['const owner = await createSubscriber(context)'],
    request: '{ as: owner }',
  },

  'tracks.list': {
    imports: { './fixtures/libraries.ts': ['createTrack'] },
    steps: [
      'const owner = await context.account()',
      "for (const title of ['First', 'Second', 'Third']) await createTrack(owner, title)",
    ],
    request: '{ as: owner }',
  },
  'tracks.detail': fullTrack,
  'tracks.tags.detail': fullTrack,
  'tracks.peaks.detail': fullTrack,
  'tracks.rights.detail': splitSheet,
  'tracks.lyrics.detail': {
    imports: { './fixtures/tracks.ts': ['createOwnedTrack'] },
    steps: [
      'const { owner, params } = await createOwnedTrack(context)',
      "await owner.call('tracks.lyrics.replace', { params, body: { text: 'Night drive' } })",
    ],
    request: '{ as: owner, params }',
  },
  'tracks.stems.list': fullTrack,
  'tracks.versions.list': fullTrack,
  'tracks.media-assets.list': fullTrack,
  'tracks.split-sheet.detail': splitSheet,
  'tracks.playback-url.issue': fullTrack,
  'tracks.download-url.issue': fullTrack,
  'tracks.processing.status': fullTrack,
  'tracks.share-links.list': {
    imports: { './fixtures/share-links.ts': ['createTrackWithShareLink'] },
    steps: ['const { owner, trackId } = await createTrackWithShareLink(context)'],
    request: '{ as: owner, params: { trackId } }',
  },
  'tracks.split-sheet.share-links.list': {
    imports: { './fixtures/split-sheet-links.ts': ['createReviewLink'] },
    steps: ['const { owner, trackId } = await createReviewLink(context)'],
    request: '{ as: owner, params: { trackId } }',
  },

  ...linkPreparations,

  'libraries.list': {
    imports: { './fixtures/libraries.ts': ['createAcceptedShare', 'createLibrary'] },
    steps: [
      'const { owner } = await createAcceptedShare(context)',
      "for (const name of ['First', 'Second']) await createLibrary(owner, name)",
    ],
    request: '{ as: owner }',
  },
  'libraries.shared-with-me': {
    imports: { './fixtures/libraries.ts': ['createAcceptedShare'] },
    steps: ['const { guest } = await createAcceptedShare(context)'],
    request: '{ as: guest }',
  },
  'libraries.detail': sharedLibrary,
  'libraries.presentation': sharedLibrary,
  'libraries.shares.list': sharedLibrary,

  'packs.list': {
    imports: { './fixtures/libraries.ts': ['createPack'], './fixtures/packs.ts': ['createPackOfTracks'] },
    steps: ['const { owner } = await createPackOfTracks(context, 2)', "await createPack(owner, 'Newer')"],
    request: '{ as: owner }',
  },
  'packs.detail': packOfTracks,
  'packs.links.list': {
    imports: { './fixtures/pack-links.ts': ['createLinkToNewPack'] },
    steps: ['const { owner, packId } = await createLinkToNewPack(context)'],
    request: '{ as: owner, params: { packId } }',
  },
  'packs.invitations.list': {
    imports: { './fixtures/libraries.ts': ['createPack'] },
    steps: [
      'const owner = await context.account()',
      'const params = { packId: (await createPack(owner)).id }',
      "await owner.call('packs.invitations.create', { params, body: { email: 'press@example.test' } })",
    ],
    request: '{ as: owner, params }',
  },
}
