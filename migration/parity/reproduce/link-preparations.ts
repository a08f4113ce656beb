import type { Preparation, Preparations } from './preparation.ts'

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

/** What the routes of share links need. */
export const linkPreparations: Preparations = {
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
