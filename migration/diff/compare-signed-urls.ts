import type { TimeComparison } from './compare-timestamps.ts'
import { isSame } from './json.ts'

// RFC 6266. Reads only `filename`, because `filename*` may be left out if it would give the same name.
const fileName = /\bfilename="([^"]*)"/

/** Returns what a signed URL of an S3-compatible store sets: its lifetime, and the response's type and file name. */
const readTerms = ({ searchParams }: URL) => ({
  expires: searchParams.get('X-Amz-Expires'),
  contentType: searchParams.get('response-content-type'),
  fileName: fileName.exec(searchParams.get('response-content-disposition') ?? '')?.[1] ?? null,
})

/**
 * Whether two signed URLs for one store could come from equal implementations. Their lifetime, content type and file
 * name must be equal. If both sides read the same rows, the objects must be the same too. URLs for different stores
 * cannot be compared, so they pass.
 */
export const mayOpenSameFile = (times: TimeComparison, native: string, core: string) => {
  if (times === 'any' || !URL.canParse(native) || !URL.canParse(core)) return true
  const [ours, theirs] = [new URL(native), new URL(core)]
  if (ours.origin !== theirs.origin) return true
  const isSameObject = ours.pathname === theirs.pathname
  return isSame(readTerms(ours), readTerms(theirs)) && (times === 'near' || isSameObject)
}
