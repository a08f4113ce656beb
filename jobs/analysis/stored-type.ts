// The names of these types that an upload may have, but that the core does not know.
const storedTypes: Readonly<Record<string, string>> = {
  'audio/m4a': 'audio/mp4',
  'audio/x-m4b': 'audio/mp4',
  'audio/x-aifc': 'audio/aiff',
  'video/mp4': 'audio/mp4',
  'video/webm': 'audio/webm',
  'text/rtf': 'application/rtf',
  'image/apng': 'image/png',
}

/** The media type under which a file is stored that was declared as this one and is of that type. */
export const storedTypeOf = (declared: string) => storedTypes[declared] ?? declared
