# Assay in a container: the app by default; `worker` and `mcp --http` are other commands.
# Build and run it: docs/deploying.md, "Containers".

FROM python:3.11-slim AS build
WORKDIR /build
RUN python -m venv /opt/assay
COPY pyproject.toml hatch_build.py README.md constraints.txt app.py ./
COPY .streamlit .streamlit
COPY benchmarks/results.json benchmarks/results.json
COPY docs/licenses.tsv docs/licenses.tsv
COPY pages pages
COPY research_core research_core
RUN /opt/assay/bin/python -m pip install --no-cache-dir --constraint constraints.txt .

FROM python:3.11-slim
RUN groupadd --gid 10001 assay \
    && useradd --uid 10001 --gid assay --no-create-home --home-dir /data assay \
    && install --directory --owner=assay --group=assay /data
COPY --from=build /opt/assay /opt/assay
ENV PATH=/opt/assay/bin:$PATH \
    HOME=/data \
    ASSAY_HOME=/data \
    PYTHONUNBUFFERED=1
USER assay
WORKDIR /data
VOLUME /data
EXPOSE 8501
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
ENTRYPOINT ["assay"]
CMD ["app", "--host", "0.0.0.0", "--no-browser"]
