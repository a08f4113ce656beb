import type { BuildIdentity } from '../model/evidence-keys.ts'
import { identifyBuild } from './evidence-key.ts'
import { openSourceTree } from './source-tree.ts'

let ownBuild: BuildIdentity | undefined

/**
 * Identifies the code that this process runs, from its sources. The first call blocks for about 180 ms, so make it
 * before serving requests. Throws if a source or package is missing.
 */
export const readOwnBuild = (): BuildIdentity => {
  ownBuild ??= identifyBuild(openSourceTree())
  return ownBuild
}
