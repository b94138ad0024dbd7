import type { ExportPaths } from '../list/export-routes.tsx';
import { maxExportRows } from '../list/exporter.tsx';

/** The links to a list as a file. `total`: its payments, where they are counted. */
export function ExportLinks({ paths: { masked, whole }, total = 0 }: { paths: ExportPaths; total?: number }) {
  return (
    <p>
      <a href={masked}>Export as CSV</a>
      {whole !== undefined && (
        <>
          {', '}
          <a href={whole}>with whole numbers</a>
        </>
      )}
      {total > maxExportRows && `. A file has at most the newest ${maxExportRows} payments.`}
    </p>
  );
}
