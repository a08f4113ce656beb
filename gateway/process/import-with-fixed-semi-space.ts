// Optimized: see "20 readers that take 64 KiB each 40 ms" in bench/README.md.
import { setFlagsFromString } from 'node:v8'

/**
 * Loads modules with a fixed size of V8's young generation. Otherwise the garbage of module loading grows it by 40 MB or
 * more of resident memory, which V8 never releases although serving requests does not need it.
 */
export const importWithFixedSemiSpace = async <M>(load: () => Promise<M>): Promise<M> => {
  setFlagsFromString('--semi-space-growth-factor=1')
  try {
    return await load()
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2')
  }
}
