import { ApiError } from '#contracts/errors.ts'
import type { Reader } from '#db/client/connection.ts'
import { hashToken } from '#db/hashes.ts'
import { findSplitSheetSharedByToken } from '#db/queries/tracks/split-sheet-links.ts'

export type SharedSplitSheetLink = NonNullable<Awaited<ReturnType<typeof findSplitSheetSharedByToken>>>

/** Returns the active link with this token. Throws `split_sheet_link_not_found` if there is none. */
export const requireSplitSheetLink = async (db: Reader, token: string): Promise<SharedSplitSheetLink> => {
  const shared = await findSplitSheetSharedByToken(db, hashToken(token))
  if (!shared) throw new ApiError('split_sheet_link_not_found')
  return shared
}
