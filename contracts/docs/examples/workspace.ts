import { exampleIds, exampleTime } from '../example-ids.ts'

const times = { createdAt: exampleTime, updatedAt: exampleTime }

const library = { id: exampleIds.library, name: 'Demos', description: null, ...times }
const libraryListRecord = { ...library, trackCount: 1, shareCount: 1 }
const libraryShare = {
  id: exampleIds.share,
  libraryId: exampleIds.library,
  targetUserId: null,
  email: 'ada@example.com',
  accessType: 'editor',
  inviteStatus: 'pending',
  ...times,
  respondedAt: null,
  revokedAt: null,
}

const pack = { id: exampleIds.pack, name: 'Harbour EP', description: null, trackCount: 1, ...times }
const packTrack = {
  packId: exampleIds.pack,
  trackId: exampleIds.track,
  position: 0,
  addedAt: exampleTime,
}
const packLink = {
  id: exampleIds.link,
  packId: exampleIds.pack,
  slug: exampleIds.slug,
  name: 'For the label',
  status: 'active',
  requiresAccessCode: true,
  downloadsEnabled: false,
  expiresAt: null,
  createdAt: exampleTime,
  sharePath: `/share/packs/${exampleIds.slug}`,
}
const packInvitation = {
  id: exampleIds.event,
  packId: exampleIds.pack,
  email: 'ada@example.com',
  status: 'queued',
  createdAt: exampleTime,
}

export const workspaceExamples = {
  Library: library,
  LibraryListRecord: libraryListRecord,
  LibraryList: { records: [libraryListRecord] },
  SharedLibraryList: {
    records: [{ ...library, shareId: exampleIds.share, accessType: 'editor' }],
  },
  LibraryTrack: {
    libraryId: exampleIds.library,
    trackId: exampleIds.track,
    position: 0,
    addedAt: exampleTime,
    track: { id: exampleIds.track, title: 'Night Drive', artist: 'The Owls', durationMs: 201000 },
  },
  LibraryShare: libraryShare,
  LibraryShareList: { records: [libraryShare] },
  Pack: pack,
  PackList: { records: [pack] },
  PackTrack: packTrack,
  PackTrackList: { records: [packTrack] },
  PackLink: packLink,
  PackLinkList: { records: [packLink] },
  PackInvitation: packInvitation,
  PackInvitationList: { records: [packInvitation] },
}
