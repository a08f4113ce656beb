import type { BuildIdentity } from '#gateway/pages/build-page.ts'
import { identifyBuild } from './evidence-key.ts'
import { openSourceTree } from './source-tree.ts'

let ownBuild: BuildIdentity | undefined

/**
 * Identifies the code that this process runs, from its sources. The first call blocks for about 180 ms: make it before
 * the process serves requests. Throws if a source or a package is missing.
 */
export const readOwnBuild = (): BuildIdentity => {
  ownBuild ??= identifyBuild(openSourceTree())
  return ownBuild
}
