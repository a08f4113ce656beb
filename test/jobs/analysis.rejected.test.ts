import { describe, expect, it } from 'vitest'
import { ffmpeg } from '#test/support/ffmpeg.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { type Bytes, readMediaFile, wav } from '#test/support/media/audio-files.ts'
import { box, moov, mp4 } from '#test/support/media/mp4.ts'

const bytesOf = (text: string): Bytes => new Uint8Array(Buffer.from(text, 'latin1'))
const concat = (...parts: readonly Uint8Array[]): Bytes => new Uint8Array(Buffer.concat(parts))

const changed = (file: Bytes, from: string, to: string): Bytes => {
  const copy = Buffer.from(file)
  copy.write(to, copy.indexOf(from), 'latin1')
  return new Uint8Array(copy)
}

const song = mp4(moov({ sampleSize: 2, sampleCount: 1, chunks: [0] }), box('mdat', Buffer.alloc(1000)))

const element = (id: string, body: Buffer) => {
  const size = Buffer.from([0x40 | (body.length >> 8), body.length & 0xff])
  return Buffer.concat([Buffer.from(id, 'hex'), size, body])
}

// A WebM file with one track of this type: 1 is video, 2 is audio. `more` can describe its encryption.
const webm = (type: 1 | 2, ...more: readonly Buffer[]): Bytes => {
  const head = element('1a45dfa3', element('4282', Buffer.from('webm')))
  const track = [element('d7', Buffer.from([1])), element('83', Buffer.from([type])), ...more]
  return concat(head, element('18538067', element('1654ae6b', element('ae', Buffer.concat(track)))))
}

// A file with audio and video.
const film = concat(song, Buffer.from(changed(song, 'soun', 'vide')))
const filmed = (): Bytes => {
  const tracks = [1, 2].map((type) => element('ae', element('83', Buffer.from([type]))))
  const segment = element('18538067', element('1654ae6b', Buffer.concat(tracks)))
  return concat(element('1a45dfa3', element('4282', Buffer.from('webm'))), segment)
}
const holdsVideo = 'The file contains video. Upload only its audio.'

const lyrics = 'Verse 1\nThe file is a text\n'.repeat(100)

const rejectedFiles: readonly (readonly [string, Bytes | (() => Promise<Bytes>), string, string, string])[] =
  [
    ['a text', bytesOf(lyrics), 'audio/wav', 'type_mismatch', 'The file is text, not audio/wav.'],
    ['a text', bytesOf(lyrics), 'audio/mpeg', 'type_mismatch', 'The file is text, not audio/mpeg.'],
    [
      'an image',
      () => readMediaFile('cover.png'),
      'audio/mpeg',
      'type_mismatch',
      'The file is image/png, not audio/mpeg.',
    ],
    ['other audio', wav(), 'audio/flac', 'type_mismatch', 'The file is audio/wav, not audio/flac.'],
    ['nothing', bytesOf(''), 'audio/wav', 'type_mismatch', 'The file is empty, not audio/wav.'],
    [
      'noise',
      new Uint8Array(5000).map((_, index) => (index * 7919) % 251),
      'audio/mp4',
      'type_mismatch',
      'The file is of an unknown type, not audio/mp4.',
    ],
    ['WAV without samples', wav({ seconds: 0 }), 'audio/wav', 'audio_empty', 'The file holds no audio.'],
    ['WAV without chunks', wav().slice(0, 12), 'audio/wav', 'audio_empty', 'The file holds no audio.'],
    [
      'MP3 that has only tags',
      bytesOf(`ID3\x03\0\0\0\0\x07\x68${'\0'.repeat(1000)}`),
      'audio/mpeg',
      'type_mismatch',
      'The file is of an unknown type, not audio/mpeg.',
    ],
    [
      'a video without sound',
      changed(song, 'soun', 'vide'),
      'audio/mp4',
      'audio_empty',
      'The file holds no audio.',
    ],
    ['WebM without sound', webm(1), 'audio/webm', 'audio_empty', 'The file holds no audio.'],
    [
      'Ogg without sound',
      async () => changed((await readMediaFile('theora-cover.ogg')).slice(), '\x01vorbis', '\x01unknow'),
      'audio/ogg',
      'audio_empty',
      'The file holds no audio.',
    ],
    ['an MP4 film', film, 'video/mp4', 'type_mismatch', holdsVideo],
    ['a WebM film', filmed(), 'video/webm', 'type_mismatch', holdsVideo],
    [
      'an encrypted song',
      changed(song, 'sowt', 'enca'),
      'audio/mp4',
      'audio_encrypted',
      'The file holds encrypted audio, which cannot be played.',
    ],
    [
      'a song of a store',
      changed(song, 'sowt', 'drms'),
      'audio/x-m4a',
      'audio_encrypted',
      'The file holds encrypted audio, which cannot be played.',
    ],
    [
      'encrypted WebM',
      webm(2, element('6d80', element('6240', element('5035', Buffer.from([0]))))),
      'audio/webm',
      'audio_encrypted',
      'The file holds encrypted audio, which cannot be played.',
    ],
  ]

describe.each([
  ['with ffmpeg', ffmpeg],
  ['without ffmpeg', null],
])('analysis of an invalid file, %s', (_, decoder) => {
  const { analyse } = startAnalyses()

  it.each(rejectedFiles)(
    'rejects %s and says what was found',
    async (_, file, contentType, code, message) => {
      const bytes = typeof file === 'function' ? await file() : file
      expect(await analyse(bytes, contentType, decoder)).toEqual({ failure: { code, message } })
    },
  )
})

describe('a tag parser', () => {
  const { analyse, analyseSound } = startAnalyses()
  const damagedId3 = bytesOf(`ID3\x03\0\0\0\0\0\x14TCON\xff\xff\xff\xff${'x'.repeat(12)}`)

  it('does not reject WAV with damaged tags', async () => {
    const chunk = concat(bytesOf('id3 \x1e\0\0\0'), damagedId3)
    const list = bytesOf('LIST\x0e\0\0\0INFOIGNR\xff\0\0\0xx')
    const found = await analyse(concat(wav(), chunk, list), 'audio/wav', null)
    expect(found).toMatchObject({ failure: null, measures: { durationMs: 1000 } })
  })

  it.skipIf(!ffmpeg)('does not reject MP3 and FLAC with damaged tags', async () => {
    const mp3 = await analyseSound(
      concat(damagedId3, (await readMediaFile('sine.mp3')).slice(2000)),
      'audio/mpeg',
    )
    expect(mp3.measures.durationMs).toBeGreaterThan(1500)
    const flac = Buffer.from(await readMediaFile('sine.flac'))
    // Overwrites the number of comments.
    flac.fill(0xff, flac.indexOf('Lavf') + 13, flac.indexOf('Lavf') + 17)
    expect((await analyseSound(new Uint8Array(flac), 'audio/flac')).measures.durationMs).toBe(2000)
  })
})
