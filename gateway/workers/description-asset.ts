import { ApiError } from '#contracts/errors.ts'
import type { LoadDescription } from '../pages/description-page.ts'

/** The binding of the files that are deployed beside the bundle. */
export interface AssetFetcher {
  fetch(address: string): Promise<Response>
}

/**
 * Creates what reads the API description from the file that `gateway/start/write-build.ts` writes. The bundle does not
 * contain it: it is larger than all handlers together.
 */
export const createDescriptionLoader =
  (assets: AssetFetcher | undefined): LoadDescription =>
  async (audience) => {
    // The binding reads only the path of an address.
    const response = await assets?.fetch(`https://assets.invalid/openapi.${audience}.json`)
    if (!response?.ok) throw new ApiError('route_not_found')
    return response.text()
  }
