import { ApiError } from '#contracts/errors.ts'
import type { Reader } from '#db/client/connection.ts'
import { findSplitSheetSharedByToken } from '#db/queries/split-sheet-links.ts'
import { hashToken } from '#db/token-hash.ts'

/** An active link with the split sheet that it shows. */
export type SharedSplitSheetLink = NonNullable<Awaited<ReturnType<typeof findSplitSheetSharedByToken>>>

/** The link of a token; any other token is `split_sheet_link_not_found`, whatever the reason. */
export const requireSplitSheetLink = async (db: Reader, token: string): Promise<SharedSplitSheetLink> => {
  const shared = await findSplitSheetSharedByToken(db, hashToken(token))
  if (!shared) throw new ApiError('split_sheet_link_not_found')
  return shared
}
