import { exampleIds, exampleTime } from '../example-ids.ts'

const times = { createdAt: exampleTime, updatedAt: exampleTime }
const tokenPreview = exampleIds.token.slice(-4)

const trackShareLink = {
  id: exampleIds.link,
  trackId: exampleIds.track,
  name: 'For the radio',
  status: 'active',
  tokenPreview,
  expiresAt: null,
  revokedAt: null,
  ...times,
}

const reviewLink = {
  id: exampleIds.link,
  trackId: exampleIds.track,
  name: 'For the writers',
  status: 'active',
  tokenPreview,
  ...times,
}

const identity = { name: null, role: null, pro: null, ipi: null }

const splitSheet = {
  trackId: exampleIds.track,
  address: '12 Quay Street, Bristol',
  intendedUse: 'Album release',
  master: [{ collaboratorId: 'ada', percentage: 100, ...identity }],
  writers: [
    { collaboratorId: 'ada', percentage: 60, ...identity },
    { collaboratorId: 'ben', percentage: 40, ...identity },
  ],
  publishers: [],
  status: { isComplete: true, validationErrors: [], validatedAt: exampleTime },
  ...times,
}

export const sharingExamples = {
  SplitSheet: splitSheet,
  TrackShareLinkList: { records: [trackShareLink] },
  IssuedTrackShareLink: {
    ...trackShareLink,
    token: exampleIds.token,
    sharePath: `/share/tracks/${exampleIds.token}`,
  },
  SplitSheetShareLinkList: { records: [] },
  IssuedSplitSheetShareLink: {
    ...reviewLink,
    token: exampleIds.token,
    sharePath: `/share/split-sheets/${exampleIds.token}`,
  },
  SharedTrack: {
    link: { name: 'For the radio', status: 'active', expiresAt: null, createdAt: exampleTime },
    track: {
      id: exampleIds.track,
      title: 'Night Drive',
      artist: 'The Owls',
      releaseDate: '2026-11-13',
      durationMs: 201000,
      artworkUrl: null,
      artworkUrlExpiresAt: null,
    },
  },
  SharedSplitSheet: {
    link: { name: 'For the writers', status: 'active', tokenPreview, trackId: exampleIds.track, ...times },
    splitSheet: { ...splitSheet, master: [], writers: [] },
  },
  PackPresentation: {
    link: {
      slug: exampleIds.slug,
      name: 'For the label',
      expiresAt: null,
      downloadsEnabled: true,
      requiresAccessCode: false,
    },
    pack: {
      id: exampleIds.pack,
      name: 'Harbour EP',
      description: null,
      artworkUrl: null,
      ownerDisplayName: null,
      trackCount: 1,
      totalDurationMs: 201000,
      createdAt: exampleTime,
    },
    tracks: [
      {
        id: exampleIds.track,
        position: 0,
        title: 'Night Drive',
        artist: 'The Owls',
        durationMs: 201000,
        releaseDate: '2026-11-13',
        artworkUrl: null,
        downloadable: true,
      },
    ],
  },
  ShareEventResult: { ok: true },
}
