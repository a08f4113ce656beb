import { LyricsInput } from '../../shared/lyrics.ts'
import * as uploads from '../../shared/uploads.ts'
import * as lyrics from '../../tracks.lyrics.ts'
import * as mediaAssets from '../../tracks.media-assets.ts'
import * as metadata from '../../tracks.metadata.ts'
import * as peaks from '../../tracks.peaks.ts'
import * as processing from '../../tracks.processing.ts'
import * as rights from '../../tracks.rights.ts'
import * as stems from '../../tracks.stems.ts'
import * as tags from '../../tracks.tags.ts'
import * as tracks from '../../tracks.ts'
import { FinalizedUpload } from '../../tracks.uploads.ts'
import * as versions from '../../tracks.versions.ts'

const status = processing.ProcessingStatus.shape
const lyricsLineInput = LyricsInput.in.shape.lines.unwrap().element

export const trackNames = {
  Track: tracks.Track,
  TrackPage: tracks.list.responses[200],
  NewTrack: tracks.create.body,
  TrackUpdate: metadata.update.body,
  Tag: tags.Tag,
  TrackTags: tags.detail.responses[200],
  Peaks: peaks.Peaks,
  Rights: rights.detail.responses[200],
  RightsEntry: rights.detail.responses[200].shape.entries.element,
  Lyrics: lyrics.Lyrics,
  LyricsLine: lyrics.LyricsLine,
  LyricsInput,
  LyricsLineInput: lyricsLineInput,
  Stem: stems.Stem,
  StemList: stems.list.responses[200],
  Version: versions.Version,
  Versions: versions.Versions,
  VersionList: versions.list.responses[200],
  MediaAsset: mediaAssets.MediaAsset,
  MediaAssetList: mediaAssets.list.responses[200],
  Lane: processing.Lane,
  ProcessingStatus: processing.ProcessingStatus,
  ProcessingStage: status.stages.element,
  ProcessingAsset: status.assets.element,
  ProcessingDispatch: status.remoteDispatches.element,
  ProcessingFailure: status.stages.element.shape.error.unwrap(),
  IngestionRun: status.ingestionRun.unwrap(),
  LaneReadiness: status.readiness.shape.playback,
  RunningDispatch: processing.retry.responses[200],
  RetriedDispatch: processing.retry.responses[202],
  AudioUpload: uploads.AudioUpload,
  ArtworkUpload: uploads.ArtworkUpload,
  DocumentUpload: uploads.DocumentUpload,
  DocumentType: uploads.DocumentType,
  UploadIntent: uploads.UploadIntent,
  FinalizedUpload,
}
