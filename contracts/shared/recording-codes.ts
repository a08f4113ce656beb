import { Str } from './primitives.ts'

const isrc = /^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/
const iswc = /^T[0-9]{10}$/

/** Returns an ISRC's twelve characters for comparison: `isrc gb-aye-68-00023` becomes `GBAYE6800023`. */
export const compactIsrc = (code: string) => {
  const compact = code.toUpperCase().replace(/[\s-]/g, '')
  // A leading `ISRC` is either a prefix, or country `IS` with a registrant that starts with `RC`.
  return isrc.test(compact) ? compact : compact.replace(/^ISRC/, '')
}

/** Returns an ISWC's eleven characters for comparison: `T-034.524.680-1` becomes `T0345246801`. */
export const compactIswc = (code: string) => code.toUpperCase().replace(/[\s.-]/g, '')

const writtenCode = Str(64).transform((code) => code.toUpperCase())

export const Isrc = writtenCode.refine((code) => isrc.test(compactIsrc(code)), { error: 'must be an ISRC' })

export const Iswc = writtenCode.refine((code) => iswc.test(compactIswc(code)), { error: 'must be an ISWC' })
