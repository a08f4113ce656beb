import * as shares from '../../libraries.shares.ts'
import * as tracks from '../../libraries.tracks.ts'
import * as libraries from '../../libraries.ts'

export const libraryNames = {
  AccessGrade: libraries.AccessGrade,
  Library: libraries.Library,
  LibraryListRecord: libraries.LibraryListRecord,
  LibraryList: libraries.list.responses[200],
  SharedLibrary: libraries.sharedWithMe.responses[200].shape.records.element,
  SharedLibraryList: libraries.sharedWithMe.responses[200],
  NewLibrary: libraries.create.body,
  LibraryUpdate: libraries.update.body,
  LibraryTrack: tracks.LibraryTrack,
  NewLibraryTrack: tracks.add.body,
  LibraryShare: shares.LibraryShare,
  LibraryShareList: shares.list.responses[200],
  NewLibraryShare: shares.create.body,
  LibraryShareUpdate: shares.update.body,
}
