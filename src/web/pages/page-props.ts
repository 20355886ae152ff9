// Props of a page: the parameters of its path, such as an id.
export interface PageProps {
  params: Record<string, string>;
}
