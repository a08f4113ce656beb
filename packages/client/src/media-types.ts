export type FileKind = 'audio' | 'image' | 'document'

// Each line: a type that both the service and the legacy core accept, its file extensions, and other types that
// browsers, operating systems and recorders report for it.
const parseTable = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((line) => {
      const [type = '', extensions = '', aliases = ''] = line.split('|').map((column) => column.trim())
      return { type, extensions: extensions.split(' '), aliases: aliases.split(' ') }
    })

type Table = ReturnType<typeof parseTable>

const audio = parseTable(`
audio/mpeg | mp3 mpga | audio/mp3 audio/x-mp3 audio/mpeg3 audio/x-mpeg-3 audio/x-mpeg audio/mpg audio/x-mpg
audio/wav | wav wave bwf rf64 w64 | audio/x-wav audio/wave audio/vnd.wave audio/x-pn-wav audio/x-w64
audio/flac | flac | audio/x-flac application/flac application/x-flac
audio/aiff | aif aiff aifc aff | audio/x-aiff audio/aifc audio/x-aifc sound/aiff
audio/mp4 | m4a m4b m4p m4r mp4 mov 3gp | audio/x-m4a audio/m4a audio/m4b audio/x-m4b audio/x-m4p audio/x-m4r audio/mp4a-latm audio/x-mp4 audio/alac audio/x-alac audio/3gpp video/3gpp video/mp4 video/x-m4v video/quicktime application/mp4
audio/aac | aac adts | audio/x-aac audio/aacp audio/adts audio/x-adts audio/vnd.dlna.adts audio/x-hx-aac-adts audio/aac-adts
audio/ogg | ogg oga | application/ogg application/x-ogg audio/x-ogg video/ogg audio/vorbis audio/x-vorbis audio/x-vorbis+ogg audio/x-flac+ogg
audio/opus | opus | audio/x-opus audio/x-opus+ogg
audio/webm | webm weba mka mkv | video/webm audio/x-matroska audio/matroska video/x-matroska video/matroska
`)

const image = parseTable(`
image/jpeg | jpg jpeg jpe jfif pjpeg pjp | image/jpg image/pjpeg image/x-jpeg image/jfif
image/png | png apng | image/x-png image/apng image/vnd.mozilla.apng
image/webp | webp | image/x-webp
image/gif | gif |
image/avif | avif avifs | image/avif-sequence
image/heic | heic heics hif | image/heic-sequence image/x-heic
image/heif | heif heifs | image/heif-sequence image/x-heif
image/tiff | tif tiff | image/tif image/x-tif image/x-tiff
`)

const office = 'application/vnd.openxmlformats-officedocument'
const openDocument = 'application/vnd.oasis.opendocument'

const document = [
  ...parseTable(`
application/pdf | pdf | application/x-pdf application/acrobat text/pdf
application/rtf | rtf | text/rtf application/x-rtf text/richtext
application/msword | doc dot | application/vnd.ms-word application/x-msword
application/vnd.ms-excel | xls xlt | application/msexcel application/x-msexcel application/x-excel
application/vnd.ms-powerpoint | ppt pps | application/mspowerpoint application/x-mspowerpoint
${office}.wordprocessingml.document | docx |
${office}.spreadsheetml.sheet | xlsx |
${office}.presentationml.presentation | pptx |
${openDocument}.text | odt | application/x-vnd.oasis.opendocument.text
${openDocument}.spreadsheet | ods | application/x-vnd.oasis.opendocument.spreadsheet
${openDocument}.presentation | odp | application/x-vnd.oasis.opendocument.presentation
text/csv | csv | text/x-csv application/csv application/x-csv text/comma-separated-values text/x-comma-separated-values
text/markdown | md markdown mdown mkd | text/x-markdown text/x-web-markdown application/markdown
text/plain | txt text log tsv lrc | text/tab-separated-values text/x-log application/txt
`),
  ...image,
]

export const mediaTypeTables: Readonly<Record<FileKind, Table>> = { audio, image, document }

const findByName = (table: Table, fileName: string) => {
  const extension = fileName.toLowerCase().split('.').slice(1).at(-1)
  return extension && table.find(({ extensions }) => extensions.includes(extension))?.type
}

const unspecific = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/zip',
  'application/x-zip-compressed',
])

// If Excel is installed, Windows reports Excel's type for CSV. Old Android versions report MP3's type for M4A.
const misreported: Readonly<Record<string, string>> = {
  'application/vnd.ms-excel': 'text/csv',
  'audio/mpeg': 'audio/mp4',
}

// The service and the legacy core accept these alternative type names as they are.
const accepted = new Set(
  'mp3 x-wav wave vnd.wave x-flac x-aiff x-m4a'.split(' ').map((name) => `audio/${name}`),
)

/**
 * Returns the type to declare for a file: one that both the service and the legacy core accept, even if browsers and
 * operating systems report a different one or none. An unknown type is returned unchanged.
 */
export const chooseContentType = (kind: FileKind, reported: string, fileName: string) => {
  const table = mediaTypeTables[kind]
  const type = (reported.split(';', 1)[0] ?? '').trim().toLowerCase()
  const named = findByName(table, fileName)
  if (unspecific.has(type)) return named ?? type
  if (named !== undefined && misreported[type] === named) return named
  if (accepted.has(type) && kind === 'audio') return type
  return table.find((row) => row.type === type || row.aliases.includes(type))?.type ?? type
}
