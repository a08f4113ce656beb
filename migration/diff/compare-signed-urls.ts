import type { TimeComparison } from './compare-timestamps.ts'
import { isSame } from './json.ts'

// RFC 6266. Reads only `filename`, because `filename*` is optional if both parameters give the same name.
const fileName = /\bfilename="([^"]*)"/

/** Returns what an S3-compatible store's URL says about its own lifetime and the response. */
const readTerms = ({ searchParams }: URL) => ({
  expires: searchParams.get('X-Amz-Expires'),
  contentType: searchParams.get('response-content-type'),
  fileName: fileName.exec(searchParams.get('response-content-disposition') ?? '')?.[1] ?? null,
})

/**
 * Whether two signed URLs of one store could come from equal implementations. Their terms must be equal. If both sides
 * read the same rows, their objects must be equal too. URLs of different stores cannot be compared.
 */
export const mayOpenSameFile = (times: TimeComparison, native: string, core: string) => {
  if (times === 'any' || !URL.canParse(native) || !URL.canParse(core)) return true
  const [ours, theirs] = [new URL(native), new URL(core)]
  if (ours.origin !== theirs.origin) return true
  const isSameObject = ours.pathname === theirs.pathname
  return isSame(readTerms(ours), readTerms(theirs)) && (times === 'near' || isSameObject)
}
