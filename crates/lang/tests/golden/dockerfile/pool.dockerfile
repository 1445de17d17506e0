# syntax=docker/dockerfile:1
FROM golang:1.23 AS build
ENV CGO_ENABLED=0 \
    GOFLAGS="-mod=mod"
RUN go build -o /pool
FROM build AS test
FROM gcr.io/distroless/static
ENV PORT 8080
COPY --from=build /pool /pool
ENTRYPOINT ["/pool", "serve.sh"]
