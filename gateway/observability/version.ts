/** The version of this release: that of `package.json`, which is not part of a bundle. */
export const version = '0.1.0'
